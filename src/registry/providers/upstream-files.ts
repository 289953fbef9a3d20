/** The files of a campaign at the upstream registry. */
import { type RegistryClient, UpstreamRefusal } from './registry-client.js'
import type { CampaignFile, RefusedFile, RemovedFile, SentFile } from './upstream-partner.js'

const PATHS = { mms: 'mms', document: 'supportingDocument' } as const

interface FileThere {
  readonly uuid: string
  readonly fileName: string
}

/** Outcome of sending the missing files: their new upstream identifiers, and refusals. */
export interface FilesOutcome {
  readonly sent: readonly SentFile[]
  readonly refused: readonly RefusedFile[]
}

/**
 * Sends the files that the campaign does not have upstream. A file without a known identifier, as
 * after a crash, is matched by name. A refused file does not block the others.
 */
export async function sendFiles(
  client: RegistryClient,
  id: string,
  files: readonly CampaignFile[],
  signal: AbortSignal,
): Promise<FilesOutcome> {
  const sent: SentFile[] = []
  const refused: RefusedFile[] = []
  for (const kind of ['mms', 'document'] as const) {
    const wanted = files.filter((file) => file.kind === kind)
    if (wanted.length === 0) continue
    const there = await filesThere(client, id, kind, signal)
    const unknown = unclaimed(there, wanted)
    for (const file of wanted) {
      if (there.some(({ uuid }) => uuid === file.upstreamUuid)) continue
      const present = unknown.findIndex(({ fileName }) => fileName === file.fileName)
      const [found] = present < 0 ? [] : unknown.splice(present, 1)
      const upstreamUuid = found?.uuid ?? (await sendFile(client, id, file, signal))
      if (upstreamUuid instanceof UpstreamRefusal)
        refused.push({ uuid: file.uuid, refusal: upstreamUuid })
      else if (upstreamUuid !== '') sent.push({ uuid: file.uuid, upstreamUuid })
    }
  }
  return { sent, refused }
}

/**
 * Resolves with the file's upstream identifier, or with the refusal; a missing file counts as
 * refused.
 */
async function sendFile(
  client: RegistryClient,
  id: string,
  { kind, fileName, mimeType, read }: CampaignFile,
  signal: AbortSignal,
): Promise<string | UpstreamRefusal> {
  const bytes = await read()
  if (bytes === undefined)
    return new UpstreamRefusal(fileName, [], `the file ${fileName} is missing: add it again`)
  try {
    return uuidOf(await client.upload(pathOf(id, kind), { fileName, mimeType, bytes }, signal))
  } catch (error) {
    if (error instanceof UpstreamRefusal) return error
    throw error
  }
}

/**
 * Removes a file upstream that was deleted here. Without its identifier, it is matched by name,
 * excluding the files in `files`, which still exist here.
 */
export async function removeFile(
  client: RegistryClient,
  id: string,
  { kind, fileName, upstreamUuid }: RemovedFile,
  files: readonly CampaignFile[],
  signal: AbortSignal,
): Promise<void> {
  const there = await filesThere(client, id, kind, signal)
  const named = (file: { readonly fileName: string }) => file.fileName === fileName
  const left = files.filter((file) => file.kind === kind && named(file))
  const spare = unclaimed(there, left).filter(named)
  const waiting = left.filter((file) => file.upstreamUuid === undefined)
  const removed =
    upstreamUuid === undefined
      ? spare[waiting.length]
      : there.find(({ uuid }) => uuid === upstreamUuid)
  if (removed === undefined || removed.uuid === '') return
  await client.call('DELETE', `/attachment/${removed.uuid}`, undefined, signal)
}

function pathOf(id: string, kind: CampaignFile['kind']): string {
  return `/campaign/${id}/${PATHS[kind]}`
}

async function filesThere(
  client: RegistryClient,
  id: string,
  kind: CampaignFile['kind'],
  signal: AbortSignal,
): Promise<FileThere[]> {
  // The client types a list as an object; read it by index.
  const list = await client.call('GET', pathOf(id, kind), undefined, signal)
  return Object.values(list).flatMap((each) => {
    const { fileName } = (each ?? {}) as { readonly fileName?: unknown } // checked here
    return typeof fileName === 'string' ? [{ uuid: uuidOf(each), fileName }] : []
  })
}

/** The upstream files that match none of our known identifiers. */
function unclaimed(there: readonly FileThere[], ours: readonly CampaignFile[]): FileThere[] {
  return there.filter(({ uuid }) => !ours.some((file) => file.upstreamUuid === uuid))
}

/** The identifier of a file; empty when the registry gives it none. */
function uuidOf(value: unknown): string {
  const { uuid } = (value ?? {}) as { readonly uuid?: unknown } // checked here
  return typeof uuid === 'string' ? uuid : ''
}
