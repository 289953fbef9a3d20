/**
 * The few system calls of WASI preview 1 that a command needs which reads its arguments and writes one
 * file, with memory for a disk: the command can reach nothing of this machine.
 *
 * Not `node:wasi`: it may free a program's file table while the program runs (a collection inside a
 * system call), which aborts the whole process, and it warns that it is experimental.
 */
export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>
}
interface WasmRuntime {
  compile(bytes: Uint8Array): Promise<object>
  instantiate(module: object, imports: object): Promise<WasmInstance>
}
// Types of WebAssembly come with the DOM's, which a server does not load.
export const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WasmRuntime }

/** The end of the program from within; it is not a failure. */
export class ProgramExit extends Error {
  override readonly name = 'ProgramExit'
  readonly status: number
  constructor(status: number) {
    super(`the program ended with status ${status}`)
    this.status = status
  }
}

export const OUTPUT_FOLDER = '/out'

const OK = 0
const BAD_FD = 8
const NO_ENTRY = 44
const FOLDER_FD = 3
const FILE_FD = 4
const FILE_TYPES = new Map([
  [0, 2],
  [1, 2],
  [2, 2],
  [FOLDER_FD, 3],
  [FILE_FD, 4],
])

export interface WasiProgram {
  readonly imports: { readonly wasi_snapshot_preview1: Readonly<Record<string, unknown>> }
  /** Runs `_start` of an instance made with `imports`, once; returns the exit status. */
  start(instance: WasmInstance): number
  /** The content of the one file that the program may write. */
  written(): Uint8Array
}

export function createWasiProgram(args: readonly string[]): WasiProgram {
  const memory: { current: { readonly buffer: ArrayBuffer } | undefined } = { current: undefined }
  // The buffer is another one each time the program's memory grew.
  const view = () => new DataView(memory.current?.buffer ?? new ArrayBuffer(0))
  const file = new MemoryFile()
  const calls = { ...argumentCalls(args, view), ...fileCalls(file, view) }
  const proc_exit = (status: number) => {
    throw new ProgramExit(status)
  }
  const clock_time_get = (_clock: number, _precision: bigint, at: number) => {
    view().setBigUint64(at, 0n, true)
    return OK
  }
  return {
    imports: { wasi_snapshot_preview1: { ...calls, proc_exit, clock_time_get } },
    start: (instance) => {
      // A command module exports exactly these two (WASI application ABI).
      const exported = instance.exports as { memory: { buffer: ArrayBuffer }; _start: () => void }
      memory.current = exported.memory
      try {
        exported._start()
        return 0
      } catch (error) {
        if (error instanceof ProgramExit) return error.status
        throw error
      }
    },
    written: () => file.content(),
  }
}

type View = () => DataView

function argumentCalls(args: readonly string[], view: View) {
  const encoded = args.map((arg) => new TextEncoder().encode(`${arg.replaceAll('\0', '')}\0`))
  return {
    args_sizes_get: (countAt: number, sizeAt: number) => {
      view().setUint32(countAt, encoded.length, true)
      view().setUint32(
        sizeAt,
        encoded.reduce((sum, arg) => sum + arg.length, 0),
        true,
      )
      return OK
    },
    args_get: (listAt: number, textAt: number) => {
      let at = textAt
      for (const [index, arg] of encoded.entries()) {
        view().setUint32(listAt + 4 * index, at, true)
        new Uint8Array(view().buffer, at, arg.length).set(arg)
        at += arg.length
      }
      return OK
    },
  }
}

function fileCalls(file: MemoryFile, view: View) {
  const folder = new TextEncoder().encode(OUTPUT_FOLDER)
  return {
    fd_close: () => OK,
    fd_fdstat_set_flags: () => OK,
    fd_fdstat_get: (fd: number, at: number) => {
      view().setUint16(at, FILE_TYPES.get(fd) ?? 0, true)
      view().setUint16(at + 2, 0, true)
      view().setBigUint64(at + 8, 0xffff_ffff_ffff_ffffn, true)
      view().setBigUint64(at + 16, 0xffff_ffff_ffff_ffffn, true)
      return FILE_TYPES.has(fd) ? OK : BAD_FD
    },
    fd_prestat_get: (fd: number, at: number) => {
      if (fd !== FOLDER_FD) return BAD_FD
      view().setUint32(at, 0, true)
      view().setUint32(at + 4, folder.length, true)
      return OK
    },
    fd_prestat_dir_name: (fd: number, at: number, length: number) => {
      if (fd !== FOLDER_FD) return BAD_FD
      new Uint8Array(view().buffer, at, length).set(folder.subarray(0, length))
      return OK
    },
    path_open: (...call: readonly [number, number, number, number, number, ...unknown[]]) => {
      const isCreating = (call[4] & 1) === 1
      if (!isCreating) return NO_ENTRY
      view().setUint32(Number(call[8]), FILE_FD, true)
      return OK
    },
    fd_read: (_fd: number, _list: number, _count: number, readAt: number) => {
      view().setUint32(readAt, 0, true)
      return OK
    },
    fd_write: (fd: number, listAt: number, count: number, writtenAt: number) => {
      let total = 0
      for (let index = 0; index < count; index += 1) {
        const at = view().getUint32(listAt + 8 * index, true)
        const length = view().getUint32(listAt + 8 * index + 4, true)
        if (fd === FILE_FD) file.write(new Uint8Array(view().buffer, at, length))
        total += length
      }
      view().setUint32(writtenAt, total, true)
      return OK
    },
    fd_seek: (fd: number, offset: bigint, whence: number, at: number) => {
      if (fd !== FILE_FD) return BAD_FD
      view().setBigUint64(at, BigInt(file.seek(Number(offset), whence)), true)
      return OK
    },
  }
}

/** A file in memory that grows; more than a minute of speech doubles it a few times. */
class MemoryFile {
  #bytes = new Uint8Array(1 << 16)
  #size = 0
  #position = 0

  write(part: Uint8Array): void {
    const end = this.#position + part.length
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, this.#bytes.length * 2))
      larger.set(this.#bytes.subarray(0, this.#size))
      this.#bytes = larger
    }
    this.#bytes.set(part, this.#position)
    this.#position = end
    this.#size = Math.max(this.#size, end)
  }

  /** Moves the position. `whence`: 0 from the start, 1 from here, 2 from the end. */
  seek(offset: number, whence: number): number {
    const from = whence === 0 ? 0 : whence === 1 ? this.#position : this.#size
    this.#position = Math.max(0, from + offset)
    return this.#position
  }

  content(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }
}
