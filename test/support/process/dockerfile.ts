/** The stages of a Dockerfile, with their instructions. */
export interface ImageStage {
  readonly name: string
  readonly workdir: string
  readonly user: string
  readonly stopSignal: string
  readonly env: Readonly<Record<string, string>>
  readonly runs: readonly string[]
  readonly copies: readonly ImageCopy[]
  readonly entrypoint: readonly string[]
  readonly healthcheck: readonly string[]
}

export interface ImageCopy {
  /** Stage to copy from; undefined for the build context. */
  readonly from: string | undefined
  readonly sources: readonly string[]
  readonly target: string
}

/** Parses the stages in order. Throws for an unknown instruction. */
export function readDockerfile(text: string): readonly ImageStage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: ImageStage[] = []
  for (const line of lines) {
    const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    if (word === 'FROM') stages.push(newStage(/ AS (\S+)$/.exec(rest)?.[1] ?? ''))
    const stage = stages.pop()
    if (stage === undefined) throw new Error(`${word} before FROM`)
    stages.push(withLine(stage, word, rest))
  }
  return stages
}

function newStage(name: string): ImageStage {
  const none = { env: {}, runs: [], copies: [], entrypoint: [], healthcheck: [] }
  return { name, workdir: '/', user: 'root', stopSignal: 'SIGTERM', ...none }
}

/** The effect of each instruction on its stage; instructions without a relevant effect change nothing. */
const CHANGES: Readonly<Record<string, (stage: ImageStage, rest: string) => Partial<ImageStage>>> =
  {
    FROM: () => ({}),
    VOLUME: () => ({}),
    EXPOSE: () => ({}),
    WORKDIR: (_stage, workdir) => ({ workdir }),
    USER: (_stage, user) => ({ user }),
    STOPSIGNAL: (_stage, stopSignal) => ({ stopSignal }),
    RUN: ({ runs }, command) => ({ runs: [...runs, command] }),
    ENV: ({ env }, rest) => {
      const pairs = [...rest.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ])
      return { env: { ...env, ...(Object.fromEntries(pairs) as ImageStage['env']) } }
    },
    COPY: ({ copies }, rest) => {
      const [, from] = /^--from=(\S+) /.exec(rest) ?? []
      const names = rest.replace(/^--from=\S+ /, '').split(/\s+/)
      return {
        copies: [...copies, { from, sources: names.slice(0, -1), target: names.at(-1) ?? '' }],
      }
    },
    ENTRYPOINT: (_stage, words) => ({ entrypoint: wordsOf(words) }),
    HEALTHCHECK: (_stage, rest) => ({ healthcheck: wordsOf(rest.replace(/^.*? CMD /, '')) }),
  }

function withLine(stage: ImageStage, word: string, rest: string): ImageStage {
  const change = CHANGES[word]
  if (change === undefined) throw new Error(`${word} is not known here`)
  return { ...stage, ...change(stage, rest) }
}

/** Exec form: a JSON array of words. */
const wordsOf = (text: string) => JSON.parse(text) as readonly string[]
