/** Makes the object `wide` through the API and imports its records with `relata import`. */

import { rmSync } from 'node:fs'
import { writeCsvFile, type CsvFile } from '../data/csv'
import { importFile, type ImportOutcome, outcomeOf } from '../import'
import type { Side } from '../measure/measure'
import { ask } from '../measure/probe'
import type { Bench } from '../processes'
import { NUMBERS, OBJECT, statusOf, TEXTS, wideValues, withAdded } from './rows'

const ATTRIBUTES = [
  ...TEXTS.map((api_slug) => ({ api_slug, type: 'text', is_unique: false })),
  ...NUMBERS.map((api_slug) => ({ api_slug, type: 'number', is_unique: false })),
  { api_slug: 'email', type: 'email-address', is_unique: true },
]
const SLUGS = [...TEXTS, ...NUMBERS, 'email'] as const

/** Imports the first records, which is measured, and then those with another status. */
export async function fillWide(bench: Bench, service: Side, records: number): Promise<ImportOutcome> {
  await makeObject(service)
  const imported = await importRows(bench, 0, records, records)
  await importRows(bench, records, withAdded(records), records)
  return imported
}

async function makeObject(service: Side): Promise<void> {
  const post = (path: string, data: object) =>
    ask({ method: 'POST', path: `/v2/objects${path}`, body: { data } }, service)
  await post('', { api_slug: OBJECT, singular_noun: 'Wide', plural_noun: 'Wides' })
  const plain = { description: null, is_required: false, is_multiselect: false, config: {} }
  for (const attribute of ATTRIBUTES) {
    await post(`/${OBJECT}/attributes`, { title: attribute.api_slug, ...plain, ...attribute })
  }
}

async function importRows({ folder, url }: Bench, from: number, to: number, records: number): Promise<ImportOutcome> {
  const file = await writeRows(folder, from, to, records)
  const ran = await importFile(file, url)
  rmSync(file.path)
  return outcomeOf(ran, to - from)
}

const writeRows = (folder: string, from: number, to: number, records: number): Promise<CsvFile> =>
  writeCsvFile(folder, {
    object: OBJECT,
    columns: SLUGS.map((slug) => [slug, slug]),
    rows: to - from,
    cells(index) {
      const values = wideValues(from + index, statusOf(from + index, records))
      return SLUGS.map((slug) => String(values[slug]))
    },
  })
