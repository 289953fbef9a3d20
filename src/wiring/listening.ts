import { ConfigError, hostPort, type ListenAddress } from '../config.js'

/** Explanations of system error codes for an address. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
}

/**
 * Opens a listener. Rejects with a `ConfigError` that names the settings when the address is unavailable;
 * passes on other errors.
 */
export async function openListener<Opened>(
  settings: string,
  address: ListenAddress,
  open: () => Promise<Opened>,
): Promise<Opened> {
  try {
    return await open()
  } catch (error) {
    throw listenError(settings, address, error) ?? error
  }
}

/** The error for an unavailable address; undefined when `error` has another cause. */
export function listenError(
  settings: string,
  address: ListenAddress,
  error: unknown,
): ConfigError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = REASONS[code]
  if (reason === undefined) return undefined
  const text = `${settings}: cannot listen at ${hostPort(address)}: ${reason} (${code})`
  return new ConfigError(text, { cause: error })
}
