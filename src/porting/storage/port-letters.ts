/** Rows of letters of authorisation; each content is a file named by the row's id. */
import type { Reader, Writer } from '../../platform/database/database.js'

export interface PortLetter {
  readonly uuid: string
  readonly fileName: string
  readonly mimeType: string
  readonly bytes: number
  readonly createdAt: number
}

export async function insertLetter(tx: Writer, portSid: string, letter: PortLetter): Promise<void> {
  await tx
    .insertInto('port_letters')
    .values({
      uuid: letter.uuid,
      portSid,
      fileName: letter.fileName,
      mimeType: letter.mimeType,
      bytes: letter.bytes,
      createdAt: letter.createdAt,
    })
    .execute()
}

/** The letters of a port, oldest first. */
export async function lettersOf(read: Reader, portSid: string): Promise<readonly PortLetter[]> {
  const rows = await read
    .selectFrom('port_letters')
    .selectAll()
    .where('portSid', '=', portSid)
    .orderBy('createdAt')
    .orderBy('uuid')
    .execute()
  return rows.map((row) => ({
    uuid: row.uuid,
    fileName: row.fileName,
    mimeType: row.mimeType,
    bytes: row.bytes,
    createdAt: row.createdAt,
  }))
}

/** The listed ids for which a letter exists. */
export async function existingLetters(read: Reader, uuids: readonly string[]): Promise<string[]> {
  const rows = await read
    .selectFrom('port_letters')
    .select('uuid')
    .where('uuid', 'in', uuids)
    .execute()
  return rows.map(({ uuid }) => uuid)
}
