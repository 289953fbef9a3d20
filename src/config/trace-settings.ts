import type { EnvReader } from './env-reader.js'

/** Where traces go. */
export interface TraceSettings {
  readonly url: string
  /** Sent with each request, for a collector that wants to know who sends. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
}

/** Reads the settings by the names that OpenTelemetry has for them; undefined: no traces. */
export function readTraces(reader: EnvReader, problems: string[]): TraceSettings | undefined {
  const collector = reader.url('OTEL_EXPORTER_OTLP_ENDPOINT')
  const serviceName = reader.text('OTEL_SERVICE_NAME', 'trunkline')
  const pairs = reader.optional('OTEL_EXPORTER_OTLP_HEADERS') ?? ''
  reader.needed('OTEL_EXPORTER_OTLP_ENDPOINT', ['OTEL_EXPORTER_OTLP_HEADERS'])
  if (collector === undefined) return undefined
  return { url: `${collector}/v1/traces`, serviceName, headers: headersOf(pairs, problems) }
}

/** Reads `name=value,name=value`, each value percent-encoded. The value is not shown in an error: it is a secret. */
function headersOf(pairs: string, problems: string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const pair of pairs.split(',')) {
    if (pair.trim() === '') continue
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)=([\x21-\x7e]*)\s*$/.exec(pair) ?? []
    try {
      if (name === undefined || value === undefined) throw new URIError(pair)
      headers[name] = decodeURIComponent(value)
    } catch {
      problems.push('OTEL_EXPORTER_OTLP_HEADERS: must be name=value, separated by commas')
      return {}
    }
  }
  return headers
}
