/** One import from the options of its command to the summary. */

import { findCountry } from '#engine/attribute-types/data/countries'
import type { CountryCode } from '#engine/attribute-types/data/country-codes'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { type CsvFile, readDataRows } from '#transfer/import/csv/csv'
import { sampleColumns } from '#transfer/import/csv/sample'
import { type BackgroundContext, openBackgroundContext } from '#engine/entities/write/background-context'
import { checkMapping, type CheckedMapping } from '#transfer/import/mapping/check-mapping'
import { completeMapping, type RequestedMapping } from '#transfer/import/mapping/complete-mapping'
import type { Mapping } from '#transfer/import/mapping/mapping'
import { parseMapping, parsePairs, printMapping } from '#transfer/import/mapping/mapping-file'
import { chooseIdentification, type Identification } from '#transfer/import/match/identify'
import { isNoneMissing, type MissingPolicies, refusedDefinitions } from '#transfer/import/policies'
import { type ImportRun, runImport } from '#transfer/import/run-import'
import { createMissing } from '#api/resources/attributes/create-missing'
import { type CommandContext, UsageError } from '#run/cli/command'
import { findActor } from './find-actor'
import { openCsvFile, readText } from './open-file'
import { printMapped, printMissing, printSummary, refusedMessage } from './print-import'
import { createProblemsFile } from './problems-file'
import { createProgress } from './progress'

export interface ImportOptions {
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
export async function runImportCommand(options: ImportOptions, context: CommandContext): Promise<number> {
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

async function openImport(options: ImportOptions, { db, now }: CommandContext): Promise<OpenedImport> {
  const file = await openCsvFile(options.path)
  const importContext = await openBackgroundContext(db, options.workspaceId, now, (model) =>
    findActor(model, options.as),
  )
  const object = options.objectOf(importContext.context().model)
  return { importContext, object, file, ...(await sampleColumns(file)) }
}

async function mapColumns(
  options: ImportOptions,
  { importContext, object, columns }: OpenedImport,
): Promise<{ mapping: Mapping; identification: Identification }> {
  const { model } = importContext.context()
  const mapping = await completeMapping(model, object, columns, await readRequestedMapping(options))
  const match = options.match ?? mapping.match
  return { mapping, identification: chooseIdentification(model, object, { match, fallback: options.fallback }) }
}

async function readRequestedMapping({ mapping, map }: ImportOptions): Promise<RequestedMapping> {
  return {
    mapping: mapping === undefined ? undefined : parseMapping(await readText(mapping)),
    pairs: new Map(map.flatMap((pairs) => [...parsePairs(pairs)])),
  }
}

const checkRows = ({ importContext, object, file, header }: OpenedImport, mapping: Mapping): Promise<CheckedMapping> =>
  checkMapping(importContext.context().model, object.id, { header, rows: readDataRows(file) }, mapping)

/** Creates what is missing if the options allow it. Returns false when they do not. */
async function confirm(
  options: ImportOptions,
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

const policiesOf = (options: ImportOptions): MissingPolicies => ({
  attributes: options['create-attributes'] ? 'create' : 'refuse',
  options: options['create-options'] ? 'create' : 'refuse',
})

async function runAndSummarise(run: ImportRun, options: ImportOptions, print: (line: string) => void): Promise<void> {
  const errorsPath = options.errors ?? `${options.path}.errors.csv`
  const problemsFile = createProblemsFile(errorsPath)
  const progress = createProgress(process.stderr)
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
