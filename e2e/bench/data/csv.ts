/** Writes people and companies as files for `relata import`. */

import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { companiesFor, company, industry, leadStatus, leadValue, PEOPLE_PER_COMPANY, person } from './people'

type Cell = string | null | undefined
export type Column = readonly [header: string, target: string]

const PLACE = ['line_1', 'locality', 'region', 'postcode', 'country_code', 'latitude', 'longitude'] as const
const PLACE_COLUMNS: readonly Column[] = PLACE.map((part) => [part, `primary_location.${part}`])
const PROFILES = ['linkedin', 'twitter', 'facebook', 'instagram', 'angellist'] as const

const COMPANY_COLUMNS: readonly Column[] = [
  ...(['name', 'domains', 'description', 'categories', 'linkedin'] as const).map((slug): Column => [slug, slug]),
  ...PLACE_COLUMNS,
  ['industry', 'industry:select'],
]
const PERSON_COLUMNS: readonly Column[] = [
  ['first_name', 'name.first_name'],
  ['last_name', 'name.last_name'],
  ...(['email_addresses', 'description', 'job_title', 'phone_numbers', 'company', ...PROFILES] as const).map(
    (slug): Column => [slug, slug],
  ),
  ...PLACE_COLUMNS,
  ['lead_status', 'lead_status:select'],
  ['lead_value', 'lead_value:currency(USD)'],
]
/** The headers of the file of people, in their order. */
export const PERSON_HEADERS = PERSON_COLUMNS.map(([header]) => header)

/** A file and its mapping, for the option `--map`. */
export interface CsvFile {
  /** The slug of the object. */
  readonly object: string
  readonly path: string
  readonly map: string
}

/** Writes two files to a folder. Companies come first because people refer to them. */
export async function writeCsvFiles(folder: string, people: number): Promise<readonly [CsvFile, CsvFile]> {
  const companies = { object: 'companies', columns: COMPANY_COLUMNS, rows: companiesFor(people), cells: companyCells }
  const file = { object: 'people', columns: PERSON_COLUMNS, rows: people, cells: personCells }
  return [await writeCsvFile(folder, companies), await writeCsvFile(folder, file)]
}

function companyCells(index: number): Cell[] {
  const { name, domains, description, categories, linkedin, primary_location: place } = company(index)
  return [name, domains[0], description, categories[0], linkedin, ...PLACE.map((part) => place[part]), industry(index)]
}

function personCells(index: number): Cell[] {
  const values = person(index)
  return [
    values.name.first_name,
    values.name.last_name,
    values.email_addresses.join(','),
    values.description,
    values.job_title,
    values.phone_numbers[0],
    company(Math.floor(index / PEOPLE_PER_COMPANY)).domains[0],
    ...PROFILES.map((slug) => values[slug]),
    ...PLACE.map((part) => values.primary_location[part]),
    leadStatus(index),
    leadValue(index),
  ]
}

export interface CsvContent {
  /** The slug of the object. */
  readonly object: string
  readonly columns: readonly Column[]
  readonly rows: number
  /** Returns the cells of a row in the order of the columns. */
  readonly cells: (index: number) => Cell[]
}

export async function writeCsvFile(folder: string, { object, columns, rows, cells }: CsvContent): Promise<CsvFile> {
  const path = join(folder, `${object}.csv`)
  const file = createWriteStream(path)
  file.write(renderLine(columns.map(([header]) => header)))
  for (let index = 0; index < rows; index++) {
    if (!file.write(renderLine(cells(index)))) await new Promise<void>((resolve) => file.once('drain', () => resolve()))
  }
  await new Promise<void>((resolve) => file.end(() => resolve()))
  return { object, path, map: columns.map(([header, target]) => `${header}=${target}`).join(', ') }
}

const renderLine = (cells: readonly Cell[]): string => `${cells.map(renderCell).join(',')}\n`

const renderCell = (cell: Cell): string =>
  /[",\n]/.test(cell ?? '') ? `"${cell?.replaceAll('"', '""')}"` : (cell ?? '')
