/**
 * Metrics in the text format of Prometheus
 * (https://prometheus.io/docs/instrumenting/exposition_formats/), read at each scrape.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

const PREFIX = 'trunkline_'

export type Labels = Readonly<Record<string, string>>

/** One value, or one for each set of labels; undefined for a metric without a value now. */
export type Samples = number | undefined | readonly (readonly [Labels, number])[]

/** A metric that is read from a source, which several metrics share. */
export interface MetricOf<Source> {
  /** The name after `trunkline_`, in base units; a name that ends with `_total` is a counter. */
  readonly name: string
  readonly help: string
  /** The names of all labels; none unless given. */
  readonly labels?: readonly string[]
  readonly read: (source: Source) => Samples
}

/** A metric that counts observed values by size. */
export interface HistogramOf<Label extends string> {
  /** The name after `trunkline_`, in base units. */
  readonly name: string
  readonly help: string
  readonly labels: readonly Label[]
  /** Upper bounds of the buckets, smallest first. */
  readonly buckets: readonly number[]
}

/** Counts one value. Every label needs a value from a small fixed set. */
export type Observe<Label extends string> = (
  value: number,
  labels: Readonly<Record<Label, string>>,
) => void

export class Metrics {
  readonly #registry = new Registry()
  readonly #readings: (() => Promise<void>)[] = []

  /** Adds metrics of one source, which is read once in each scrape. */
  add<Source>(source: () => Source | Promise<Source>, metrics: readonly MetricOf<Source>[]): void {
    const setters = metrics.map((metric) => this.#setterOf(metric))
    this.#readings.push(async () => {
      const read = await source()
      for (const set of setters) set(read)
    })
  }

  /** Adds a histogram; the returned function counts a value in it. */
  histogram<const Label extends string>(histogram: HistogramOf<Label>): Observe<Label> {
    const { name, help, labels, buckets } = histogram
    const made = new Histogram<Label>({
      name: PREFIX + name,
      help,
      labelNames: labels,
      buckets: [...buckets],
      registers: [this.#registry],
    })
    return (value, of) => {
      made.observe({ ...of }, value)
    }
  }

  /** Resolves with the text of one scrape; rejects when a source cannot be read. */
  async text(): Promise<string> {
    for (const read of this.#readings) await read()
    return await this.#registry.metrics()
  }

  #setterOf<Source>({ name, help, labels = [], read }: MetricOf<Source>): (source: Source) => void {
    const options = { name: PREFIX + name, help, labelNames: labels, registers: [this.#registry] }
    const isCounter = name.endsWith('_total')
    const metric = isCounter ? new Counter(options) : new Gauge(options)
    return (source) => {
      const samples = read(source)
      metric.reset()
      if (samples === undefined) metric.remove()
      // A counter was reset to 0, so that adding its value sets it.
      else if (typeof samples === 'number') metric.inc(samples)
      else for (const [of, value] of samples) metric.inc({ ...of }, value)
    }
  }
}
