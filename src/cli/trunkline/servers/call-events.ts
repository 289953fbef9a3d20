/** One event from the private listener's stream of call events. */
export interface CallEvent {
  readonly callSid: string
  /** The account of the call; absent in events from the voice API. */
  readonly accountSid?: string
  readonly kind: string
  readonly at: number
  readonly detail: Readonly<Record<string, unknown>>
}

/** Resolves once subscribed, with the events from then on. */
export async function subscribe(
  adminUrl: string,
  token: string,
  signal: AbortSignal,
): Promise<AsyncGenerator<CallEvent>> {
  const answer = await fetch(`${adminUrl}/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal,
  })
  if (!answer.ok || answer.body === null) throw new Error(`/events answered ${answer.status}`)
  const blocks = readBlocks(answer.body)
  await blocks.next() // the `ready` event
  return parse(blocks)
}

async function* parse(blocks: AsyncGenerator<string>): AsyncGenerator<CallEvent> {
  for await (const block of blocks) {
    const data = block
      .split('\n')
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).trim())
      .join('\n')
    // written by our own server
    if (data !== '') yield JSON.parse(data) as CallEvent
  }
}

async function* readBlocks(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    yield* blocks
  }
}
