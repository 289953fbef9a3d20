const NO_SPACE: readonly unknown[] = ['ENOSPC', 'EDQUOT']

/** True for the error of a write that the disk, or the owner's quota on it, had no space for. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NO_SPACE.includes(error.code)
}
