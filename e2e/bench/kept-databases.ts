/** The results of an import, stored beside a database that later runs use again. */

import { join } from 'node:path'
import type { ImportOutcome } from './import'

export interface Kept {
  readonly records: number
  /** The API key. */
  readonly key: string
  readonly load: ImportOutcome
}

const pathIn = (folder: string): string => join(folder, 'bench.json')

/** Returns undefined when nothing was loaded yet. Throws when the database has another number of records. */
export async function readKept(folder: string, records: number): Promise<Kept | undefined> {
  const file = Bun.file(pathIn(folder))
  if (!(await file.exists())) return undefined
  const kept = (await file.json()) as Kept // only `writeKept` writes it
  if (kept.records === records) return kept
  throw new Error(`${folder} has ${kept.records} people, not ${records}.`)
}

export const writeKept = (folder: string, kept: Kept) => Bun.write(pathIn(folder), JSON.stringify(kept))
