/** One import from the words of its command to the summary. */

import { findCountry } from '../../attribute-types/data/countries'
import type { CountryCode } from '../../attribute-types/data/country-codes'
import type { DataModel, ObjectType } from '../../data-model/model'
import { chooseIdentification, type Identification } from '../../import/match/identify'
import { type Import, importRows } from '../../import/run-import'
import { parseMapping, parsePairs, printMapping } from '../../import/mapping/mapping-file'
import { bindColumns } from '../../import/mapping/bind-columns'
import { completeMapping, prepare, type Prepared } from '../../import/mapping/check-mapping'
import { sampleColumns } from '../../import/csv/sample'
import { openImportContext, type ImportContext } from '../../import/import-context'
import { makeMissing } from '../../resources/attributes/make-missing'
import { type Surroundings, UsageProblem } from '../command'
import { findActor } from './find-actor'
import { openCsvFile, readText } from './open-file'
import { createProblemsFile } from './problems-file'
import { createProgress } from './progress'
import { lackingProblem, showLacking, showPlan, summarise } from './print-import'

export interface ImportRequest {
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

export async function runImport(request: ImportRequest, { db, now, print }: Surroundings): Promise<number> {
  const batchSize = readBatchSize(request.batch)
  const country = readCountry(request.country)
  const file = await openCsvFile(request.path)
  const importContext = await openImportContext(db, request.workspaceId, now, (model) => findActor(model, request.as))
  const { model } = importContext.context()
  const object = request.objectOf(model)
  const { header, columns } = await sampleColumns(file)
  const mapping = await completeMapping(model, object, columns, await readAsked(request))
  const identification = chooseIdentification(model, object, {
    match: request.match ?? mapping.match,
    fallback: request.fallback,
  })
  if (request['print-mapping']) {
    print(printMapping({ match: identification.match?.api_slug, columns: mapping.columns }))
    return 0
  }
  showPlan(mapping, identification, print)
  const prepared = await prepare(model, object.id, file, header, mapping)
  if (!(await settleLacking(request, importContext, object, prepared, print))) return 1
  // What was planned is there by now, under ids of its own.
  const settled = request['dry-run'] ? prepared.planned : importContext.context().model
  const settledObject = request.objectOf(settled)
  const bindings = bindColumns(settled, settledObject, header, mapping.columns)
  const plan = { file, model: settled, object: settledObject, bindings, country, batchSize }
  return run(request, importContext, identification, plan, print)
}

/** Makes what is missing, or says it. Gives whether the import can go on. */
async function settleLacking(
  request: ImportRequest,
  importContext: ImportContext,
  object: ObjectType,
  { missing }: Prepared,
  print: (line: string) => void,
): Promise<boolean> {
  const problem = lackingProblem(missing, {
    attributes: request['create-attributes'],
    options: request['create-options'],
  })
  const isReal = problem === undefined && !request['dry-run']
  showLacking(missing, isReal ? 'Making' : 'MissingDefinitions', print)
  if (problem !== undefined) print(problem)
  else if (isReal) await makeMissing(importContext, object.id, missing)
  return problem === undefined
}

async function run(
  request: ImportRequest,
  importContext: ImportContext,
  identification: Identification,
  plan: Omit<Import, 'writeOptions'>,
  print: (line: string) => void,
): Promise<number> {
  const isDryRun = request['dry-run']
  const errorsPath = request.errors ?? `${request.path}.errors.csv`
  const problems = createProblemsFile(errorsPath)
  const progress = createProgress(process.stderr)
  const startedAt = performance.now()
  const { match } = identification
  const appends = (id: string) => !request.overwrite || id === match?.id
  const writeOptions = {
    importContext,
    objectId: plan.object.id,
    identification,
    modeOf: ({ id }: { id: string }) => (appends(id) ? ('append' as const) : ('overwrite' as const)),
    isDryRun,
  }
  try {
    const counts = await importRows({ ...plan, writeOptions }, { onProgress: progress.show, onProblem: problems.add })
    progress.done()
    summarise(counts, { isDryRun, startedAt, problems: await problems.close(), errorsPath }, print)
    return 0
  } catch (error) {
    progress.done()
    await problems.close()
    throw error
  }
}

async function readAsked({ mapping, map }: ImportRequest) {
  return {
    mapping: mapping === undefined ? undefined : parseMapping(await readText(mapping)),
    pairs: new Map(map.flatMap((pairs) => [...parsePairs(pairs)])),
  }
}

const MOST_PER_BATCH = 5000

function readBatchSize(text = '500'): number {
  const size = Number(text)
  if (Number.isInteger(size) && size >= 1 && size <= MOST_PER_BATCH) return size
  throw new UsageProblem(`--batch is a number from 1 to ${MOST_PER_BATCH}, not "${text}".`)
}

function readCountry(text: string | undefined): CountryCode | undefined {
  if (text === undefined) return undefined
  const country = findCountry(text)
  if (country === undefined) throw new UsageProblem(`--country is a country or its code, not "${text}".`)
  return country
}
