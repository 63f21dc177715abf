/**
 * The floor of `relata import`: a loader for this file and these tables only, with COPY. It validates no cell and records no
 * change events. `floor/import.ts <url> <file of people>`
 */

import { createReadStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { renderArray, connect, type Transaction } from '#db/connect'
import { PERSON_HEADERS } from '../data/csv'
import { COMPANIES, domainOf } from './statements'
import { EMAIL_ADDRESSES } from './tables'

/** The number of people in a transaction, or a few more. */
const BATCH = 4000
const MOST_MS_OF_A_COPY = 60_000

/** The columns whose cells are copied unchanged, with their headers. */
const AS_WRITTEN = {
  name_first_name: 'first_name',
  name_last_name: 'last_name',
  description_value: 'description',
  job_title_value: 'job_title',
  linkedin_value: 'linkedin',
  twitter_value: 'twitter',
  facebook_value: 'facebook',
  instagram_value: 'instagram',
  angellist_value: 'angellist',
  primary_location_line_1: 'line_1',
  primary_location_locality: 'locality',
  primary_location_region: 'region',
  primary_location_postcode: 'postcode',
  primary_location_country_code: 'country_code',
  primary_location_latitude: 'latitude',
  primary_location_longitude: 'longitude',
  lead_value_currency_value: 'lead_value',
}
/** The computed columns, in the order of `madeCells`. */
const MADE = [
  'id',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
  'name_full_name',
  'email_addresses_email_address',
  'email_addresses_original_email_address',
  'email_addresses_email_root_domain',
  'phone_numbers_phone_number',
  'phone_numbers_original_phone_number',
  'phone_numbers_country_code',
  'company_target_object',
  'company_target_record_id',
  'lead_status_option',
]
const COPY_PEOPLE = `copy floor.people (${[...Object.keys(AS_WRITTEN), ...MADE].join(', ')}) from stdin with (null '')`
const COPY_KEYS = 'copy floor.uniq (attribute, key, entity_id) from stdin'
/** The characters that a line of `copy` must escape. */
const SPECIAL = /[\\\t]/

const at = (header: string): number => PERSON_HEADERS.indexOf(header)
const WRITTEN_AT = Object.values(AS_WRITTEN).map(at)
const AT = {
  first_name: at('first_name'),
  last_name: at('last_name'),
  emails: at('email_addresses'),
  phone: at('phone_numbers'),
  country: at('country_code'),
  company: at('company'),
  lead_status: at('lead_status'),
}

/** The lines for `copy`. */
interface Batch {
  readonly people: string[]
  readonly keys: string[]
}

const [url = '', file = ''] = process.argv.slice(2)
const { sql, close } = connect(url, { max: 1, applicationName: 'floor' })
const [creator] = await sql<{ number: number }[]>`select number from floor.actors`
const companies = await readMap('select unnest(domains_domain) as name, id as value from floor.companies')
const leadStatuses = await readMap(`
  select title as name, number::text as value from floor.options where attribute = 'lead_status'`)

let writing: Promise<unknown> = Promise.resolve()
for await (const batch of readBatches()) {
  await writing
  writing = write(batch)
}
await writing
await close()

async function readMap(query: string): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.unsafe<{ name: string; value: string }[]>(query)
  return new Map(rows.map(({ name, value }) => [name, value]))
}

async function* readBatches(): AsyncGenerator<Batch> {
  let batch: Batch = { people: [], keys: [] }
  let isHeader = true
  for await (const lines of readLines()) {
    for (const line of lines.slice(isHeader ? 1 : 0)) add(batch, splitLine(line))
    isHeader = false
    if (batch.people.length < BATCH) continue
    yield batch
    batch = { people: [], keys: [] }
  }
  yield batch
}

/** Yields the lines that each piece of the file completes. No cell has a line break. */
async function* readLines(): AsyncGenerator<string[]> {
  let rest = ''
  for await (const piece of createReadStream(file, { encoding: 'utf8' })) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
}

function splitLine(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(',')
  const cells = `,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)
  return Array.from(cells, ([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare)
}

function add({ people, keys }: Batch, cells: readonly string[]): void {
  if (cells.length !== PERSON_HEADERS.length) throw new Error(`This is no person: ${cells.join()}`)
  const id = Bun.randomUUIDv7()
  const written = cells[AT.emails]?.split(',') ?? []
  const emails = written.map((email) => email.toLowerCase())
  const originals = written.map((email, index) => (email === emails[index] ? null : email))
  const asWritten = WRITTEN_AT.map((index) => cells[index] ?? '')
  people.push(copyLine([...asWritten, ...madeCells(id, cells, emails, originals)]))
  for (const email of emails) keys.push(copyLine([String(EMAIL_ADDRESSES), email, id]))
}

/** Computes the cells of a person. Every person of the file has all columns. */
function madeCells(
  id: string,
  cells: readonly string[],
  emails: readonly string[],
  originals: readonly (string | null)[],
): string[] {
  const now = new Date().toISOString()
  const actor = String(creator?.number)
  const phones = renderArray([cells[AT.phone]])
  return [
    id,
    now,
    actor,
    now,
    actor,
    `${cells[AT.first_name]} ${cells[AT.last_name]}`,
    renderArray(emails),
    renderArray(originals),
    renderArray(emails.map(domainOf)),
    phones,
    phones,
    renderArray([cells[AT.country]]),
    String(COMPANIES),
    known(companies, cells[AT.company]),
    known(leadStatuses, cells[AT.lead_status]),
  ]
}

function known(all: ReadonlyMap<string, string>, name = ''): string {
  const found = all.get(name)
  if (found === undefined) throw new Error(`"${name}" is not known.`)
  return found
}

function copyLine(cells: readonly string[]): string {
  return `${cells.map(escape).join('\t')}\n`
}

function escape(cell: string): string {
  return SPECIAL.test(cell) ? cell.replaceAll('\\', '\\\\').replaceAll('\t', '\\t') : cell
}

async function write({ people, keys }: Batch): Promise<void> {
  await sql.begin(async (tx) => {
    await copy(tx, COPY_PEOPLE, people)
    await copy(tx, COPY_KEYS, keys)
  })
}

async function copy(tx: Transaction, statement: string, lines: readonly string[]): Promise<void> {
  const stream = await tx.unsafe(statement).writable()
  stream.end(lines.join(''))
  // The driver reports no error for a row that PostgreSQL refuses after all rows were sent.
  await finished(stream, { signal: AbortSignal.timeout(MOST_MS_OF_A_COPY) })
}
