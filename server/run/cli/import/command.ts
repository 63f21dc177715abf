import { getObject } from '#engine/data-model/find'
import { type DataModel, type ObjectType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { ApiError } from '#base/errors/api-error'
import { chooseIdentification, type Identification, NO_FALLBACK } from '#transfer/import/match/identify'
import { ImportError } from '#transfer/import/import-context'
import {
  type CommandContext,
  CommandError,
  defineCommand,
  getNamedMember,
  getNamedWorkspace,
  printTable,
  UsageError,
  WORKSPACE_OPTION,
} from '#run/cli/command'
import { type CountryCode, findCountry } from '#vocabulary/countries'
import { type CsvFile, decodeBeginning, findDelimiter, readDataRows, sampleColumns } from '#transfer/import/csv/csv'
import { type BackgroundContext, openBackgroundContext } from '#engine/entities/write/background-context'
import { type CheckedMapping, checkMapping, type MissingDefinitions } from '#transfer/import/mapping/check-mapping'
import { completeMapping, type RequestedMapping } from '#transfer/import/mapping/propose-mapping'
import { type Mapping, parseMapping, parsePairs, printMapping, renderTarget } from '#transfer/import/mapping/mapping'
import { isNoneMissing, type MissingPolicies, refusedDefinitions } from '#transfer/import/policies'
import { type ImportRun, runImport } from '#transfer/import/run-import'
import { createMissing } from '#api/resources/attributes/create'
import { createProblemsFile } from './problems-file'
import { createReadStream } from 'node:fs'
import type { MissingAttribute } from '#transfer/import/mapping/bind-columns'
import type { RowCounts } from '#transfer/import/row-outcomes'

/** Skipped rows do not fail the command: the summary counts them, and the errors file lists them. */
export const importCommand = defineCommand({
  name: 'import',
  summary: 'Imports the rows of a CSV file as records. Importing a file again changes nothing.',
  positionals: ['<object>', '<file.csv>'],
  options: {
    mapping: {
      kind: 'text',
      value: '<file>',
      description: 'A mapping of columns to attributes, in YAML or JSON. Default: a proposed mapping.',
    },
    map: {
      kind: 'texts',
      value: '<pairs>',
      description:
        'Targets of single columns, e.g. "Website=domains, Raised=raised:currency, Notes=skip". Can be repeated.',
    },
    'print-mapping': { kind: 'flag', description: 'Prints the mapping, for you to edit, and imports nothing.' },
    match: {
      kind: 'text',
      value: '<attribute>',
      description: 'The unique attribute by which rows are matched with records.',
    },
    fallback: {
      kind: 'text',
      value: '<attribute>',
      description: `The attribute by which all other rows are matched, or ${NO_FALLBACK}. Default: name.`,
    },
    overwrite: {
      kind: 'flag',
      description: 'Replaces the values of attributes with several values instead of adding to them.',
    },
    'create-attributes': { kind: 'flag', description: 'Creates missing attributes.' },
    'create-options': { kind: 'flag', description: 'Creates missing options.' },
    'dry-run': { kind: 'flag', description: 'Prints what an import would do, and writes nothing.' },
    errors: {
      kind: 'text',
      value: '<file>',
      description: 'The file that lists what was not imported. Default: <file.csv>.errors.csv.',
    },
    batch: {
      kind: 'text',
      value: '<rows>',
      description: 'The number of rows that are written together. Default: 500.',
    },
    country: { kind: 'text', value: '<country>', description: 'The country of telephone numbers without a +.' },
    as: {
      kind: 'text',
      value: '<email>',
      description: 'The member who is recorded as the writer. Default: the system.',
    },
    workspace: WORKSPACE_OPTION,
  },
  async run({ options, positionals: [object = '', path = ''] }, context) {
    const { id } = await getNamedWorkspace(context.db, options.workspace)
    try {
      const objectOf = (model: DataModel) => getObject(model, object)
      return await runImportCommand({ ...options, workspaceId: id, path, objectOf }, context)
    } catch (error) {
      // The messages of both are written for people.
      if (error instanceof ImportError || error instanceof ApiError) throw new CommandError(error.message)
      throw error
    }
  },
})

/** One import from the options of its command to the summary. */
interface CsvImportOptions {
  readonly workspaceId: string
  readonly path: string
  readonly objectOf: (model: DataModel) => ObjectType
  readonly mapping: string | undefined
  readonly map: readonly string[]
  readonly 'print-mapping': boolean
  readonly match: string | undefined
  readonly fallback: string | undefined
  readonly overwrite: boolean
  readonly 'create-attributes': boolean
  readonly 'create-options': boolean
  readonly 'dry-run': boolean
  readonly errors: string | undefined
  readonly batch: string | undefined
  readonly country: string | undefined
  readonly as: string | undefined
}

/** Open, map, check, confirm, run, printSummary. Returns the exit code. */
async function runImportCommand(options: CsvImportOptions, context: CommandContext): Promise<number> {
  const batchSize = parseBatchSize(options.batch)
  const requestedCountry = parseCountry(options.country)
  const opened = await openImport(options, context)
  const mapped = await mapColumns(options, opened)
  if (options['print-mapping']) {
    context.print(printMapping({ match: mapped.identification.match?.api_slug, columns: mapped.mapping.columns }))
    return 0
  }
  printMapped(mapped.mapping, mapped.identification, context.print)
  const checked = await checkRows(opened, mapped.mapping)
  if (!(await confirm(options, opened, checked, context.print))) return 1
  const { importContext, object, file, header } = opened
  const plannedModel = options['dry-run'] ? checked.plannedModel : undefined
  const { overwrite } = options
  const country = requestedCountry ?? findCountry(importContext.context().model.workspace.default_country ?? '')
  const run = {
    ...mapped,
    importContext,
    objectId: object.id,
    file,
    header,
    country,
    batchSize,
    overwrite,
    plannedModel,
  }
  await runAndSummarise(run, options, context.print)
  return 0
}

interface OpenedImport {
  readonly importContext: BackgroundContext
  readonly object: ObjectType
  readonly file: CsvFile
  readonly header: readonly string[]
  readonly columns: Parameters<typeof completeMapping>[2]
}

async function openImport(options: CsvImportOptions, { db, now }: CommandContext): Promise<OpenedImport> {
  const file = await openCsvFile(options.path)
  const importContext = await openBackgroundContext(db, options.workspaceId, now, (model) =>
    findActor(model, options.as),
  )
  const object = options.objectOf(importContext.context().model)
  return { importContext, object, file, ...(await sampleColumns(file)) }
}

async function mapColumns(
  options: CsvImportOptions,
  { importContext, object, columns }: OpenedImport,
): Promise<{ mapping: Mapping; identification: Identification }> {
  const { model } = importContext.context()
  const mapping = await completeMapping(model, object, columns, await readRequestedMapping(options))
  const identification = chooseIdentification(model, object, {
    match: options.match ?? mapping.match,
    fallback: options.fallback,
    columns: mapping.columns,
  })
  return { mapping, identification }
}

async function readRequestedMapping({ mapping, map }: CsvImportOptions): Promise<RequestedMapping> {
  return {
    mapping: mapping === undefined ? undefined : parseMapping(await readText(mapping)),
    pairs: new Map(map.flatMap((pairs) => [...parsePairs(pairs)])),
  }
}

const checkRows = ({ importContext, object, file, header }: OpenedImport, mapping: Mapping): Promise<CheckedMapping> =>
  checkMapping(importContext.context().model, object.id, { header, rows: readDataRows(file) }, mapping)

/** Creates what is missing if the options allow it. Returns false when they do not. */
async function confirm(
  options: CsvImportOptions,
  { importContext, object }: OpenedImport,
  { missing }: CheckedMapping,
  print: (line: string) => void,
): Promise<boolean> {
  const refused = refusedDefinitions(missing, policiesOf(options))
  if (!isNoneMissing(refused)) {
    printMissing(missing, 'Missing', print)
    print(refusedMessage(refused))
    return false
  }
  printMissing(missing, options['dry-run'] ? 'Missing' : 'Creating', print)
  if (!options['dry-run']) await createMissing(importContext, object.id, missing)
  return true
}

const policiesOf = (options: CsvImportOptions): MissingPolicies => ({
  attributes: options['create-attributes'] ? 'create' : 'refuse',
  options: options['create-options'] ? 'create' : 'refuse',
})

async function runAndSummarise(
  run: ImportRun,
  options: CsvImportOptions,
  print: (line: string) => void,
): Promise<void> {
  const errorsPath = options.errors ?? `${options.path}.errors.csv`
  const problemsFile = createProblemsFile(errorsPath)
  const progress = createImportProgress(process.stderr)
  const startedAt = performance.now()
  try {
    const counts = await runImport(run, { onProgress: progress.show, onProblem: problemsFile.add })
    progress.done()
    const problems = await problemsFile.close()
    printSummary(counts, { isDryRun: options['dry-run'], startedAt, problems, errorsPath }, print)
  } catch (error) {
    progress.done()
    await problemsFile.close()
    throw error
  }
}

const MAX_BATCH_ROWS = 5000

function parseBatchSize(text = '500'): number {
  const size = Number(text)
  if (Number.isInteger(size) && size >= 1 && size <= MAX_BATCH_ROWS) return size
  throw new UsageError(`--batch must be a number from 1 to ${MAX_BATCH_ROWS}, not "${text}".`)
}

function parseCountry(text: string | undefined): CountryCode | undefined {
  if (text === undefined) return undefined
  const country = findCountry(text)
  if (country === undefined) throw new UsageError(`--country must be a country or its code, not "${text}".`)
  return country
}

/** The number of the actor of a member, by email address. */
const findActor = (model: DataModel, email: string | undefined): number =>
  email === undefined ? SYSTEM_ACTOR : getNamedMember(model, email).actor

const BEGINNING_BYTES = 64 * 1024
/**
 * Large enough that the references of many rows are looked up together, and small enough that the rows are converted
 * before a database answer has waited long.
 */
const PIECE_BYTES = 64 * 1024

/** Throws `CommandError` when the file does not exist, and `ImportError` when it is not UTF-8. */
async function openCsvFile(path: string): Promise<CsvFile> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new CommandError(`There is no file ${path}.`)
  const beginning = decodeBeginning(await file.slice(0, BEGINNING_BYTES).bytes())
  return { delimiter: findDelimiter(beginning), open: () => createReadStream(path, { highWaterMark: PIECE_BYTES }) }
}

async function readText(path: string): Promise<string> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new CommandError(`There is no file ${path}.`)
  return file.text()
}

/** What the import command prints before and after it imports. */
type Print = (line: string) => void

function printMapped({ columns }: Mapping, { match, fallback }: Identification, print: Print): void {
  const rows = [...columns].map(([name, target]) => [name, target === null ? 'left out' : renderTarget(target)])
  printTable(print, ['column', 'goes to'], rows)
  print(describeMatching(match?.api_slug, fallback?.api_slug))
}

function describeMatching(match: string | undefined, fallback: string | undefined): string {
  const byFallback = fallback === undefined ? 'always create a record' : `are matched by "${fallback}"`
  if (match !== undefined) return `Rows are matched by "${match}"; rows without a value of it ${byFallback}.`
  return fallback === undefined
    ? 'No attribute identifies a record: every import creates all rows again.'
    : `Rows are matched by "${fallback}".`
}

const MAX_SHOWN_OPTIONS = 10

function printMissing({ attributes, options }: MissingDefinitions, label: string, print: Print): void {
  for (const attribute of attributes) print(`${label} attribute ${renderMissing(attribute)}`)
  for (const [slug, titles] of options) {
    const more = titles.length > MAX_SHOWN_OPTIONS ? `, and ${titles.length - MAX_SHOWN_OPTIONS} more` : ''
    print(`${label} ${titles.length} options of ${slug}: ${titles.slice(0, MAX_SHOWN_OPTIONS).join(', ')}${more}`)
  }
}

const renderMissing = ({ title, api_slug, type, is_multiselect, currency }: MissingAttribute): string =>
  `"${title}", ${renderTarget({ slug: api_slug, type, isMultiselect: is_multiselect, ...(currency === undefined ? {} : { currency }) })}`

/** Names the options of the command that allow what was refused. */
function refusedMessage(refused: MissingDefinitions): string {
  const flags = [
    ...(refused.attributes.length > 0 ? ['--create-attributes'] : []),
    ...(refused.options.size > 0 ? ['--create-options'] : []),
  ]
  return `Nothing was imported. Add ${flags.join(' and ')} to create them, or change the mapping.`
}

interface FinishedImport {
  readonly isDryRun: boolean
  /** Milliseconds on the clock of `performance`. */
  readonly startedAt: number
  readonly problems: number
  readonly errorsPath: string
}

function printSummary(counts: RowCounts, finished: FinishedImport, print: Print): void {
  const { isDryRun, startedAt, problems, errorsPath } = finished
  const { read, repeated, incomplete, skipped } = counts
  const prefix = isDryRun ? 'Nothing was written. An import would give: ' : ''
  print(`${prefix}${describeCounts(counts)}, ${rate(read, startedAt)}.`)
  if (repeated > 0) print(`${repeated} of them matched a record that an earlier row of the file created.`)
  if (incomplete > 0) print(`${incomplete} of them were imported without some of their values.`)
  if (skipped > 0) print(`${skipped} ${skipped === 1 ? 'row was' : 'rows were'} NOT imported.`)
  if (problems > 0) print(`${errorsPath} lists what was not imported, and why.`)
}

/** Shows the progress of an import: on a terminal one line that is redrawn, otherwise a new line every 10,000 rows. */
const LINE_EVERY_ROWS = 10_000
const REDRAW_EVERY_MS = 100

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

interface ImportProgress {
  show(counts: RowCounts): void
  /** Clears the line that is redrawn. */
  done(): void
}

function createImportProgress(output: Output): ImportProgress {
  const startedAt = performance.now()
  const text = (counts: RowCounts) => `${describeCounts(counts)}, ${rate(counts.read, startedAt)}`
  return output.isTTY === true ? redrawn(output, text) : printed(output, text)
}

function redrawn(output: Output, text: (counts: RowCounts) => string): ImportProgress {
  let drawnAt = 0
  return {
    show(counts) {
      if (performance.now() - drawnAt < REDRAW_EVERY_MS) return
      drawnAt = performance.now()
      output.write(`\r${text(counts)}\u001b[K`)
    },
    done: () => output.write('\r\u001b[K'),
  }
}

function printed(output: Output, text: (counts: RowCounts) => string): ImportProgress {
  let printedRows = 0
  return {
    show(counts) {
      if (counts.read - printedRows < LINE_EVERY_ROWS) return
      printedRows = counts.read - (counts.read % LINE_EVERY_ROWS)
      output.write(`${text(counts)}\n`)
    },
    done() {},
  }
}

const describeCounts = ({ read, created, updated, unchanged, skipped }: RowCounts): string =>
  `${read} rows read: ${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped`

/** Rows per second. */
const rate = (rows: number, startedAt: number): string =>
  `${Math.round(rows / Math.max((performance.now() - startedAt) / 1000, 0.001))} rows/s`
