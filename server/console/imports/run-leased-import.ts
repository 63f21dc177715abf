/**
 * One import, from its plan to its end. What became of the rows is noted as it goes, so that whoever takes over after a
 * crash begins behind the rows that were noted. Decision 0070.
 */

import type { Database } from '../../../db/connect'
import { getObject } from '../../data-model/find'
import { ApiError } from '../../errors/errors'
import { importRows, type RowCounts } from '../../import/run-import'
import { bindColumns } from '../../import/mapping/bind-columns'
import { prepare } from '../../import/mapping/check-mapping'
import { ImportError } from '../../import/import-error'
import { openImportContext } from '../../import/import-context'
import { readCsv, type CsvFile } from '../../import/csv/csv'
import { isDatabaseAway } from '../../http/response/error-from-exception'
import { logError } from '../../logging/log-error'
import { makeMissing } from '../../resources/attributes/make-missing'
import type { Clock } from '../../timing/clock'
import { refuseAdditions } from './refuse-missing'
import { countryOf, identificationOf, mappingOf } from './parse-plan'
import { createNotes } from './track-progress'
import type { ClaimedImport, Lease } from './leases'
import { openStoredFile } from './stored-file'

const BATCH_ROWS = 500

export interface Surroundings {
  readonly db: Database
  readonly now: Clock
  /** Something was written that webhooks may be waiting for. */
  readonly onWritten: () => void
  /** Aborted when the service stops: the import waits for another process, or the next start. */
  readonly stopping: AbortSignal
}

/** How it ended; `interrupted` when somebody else goes on with it. */
export type Ending =
  | { readonly state: 'interrupted' }
  | { readonly state: 'finished' | 'cancelled' }
  | { readonly state: 'failed'; readonly failure: string }

export async function runImport(surroundings: Surroundings, claimed: ClaimedImport, lease: Lease): Promise<Ending> {
  const notes = createNotes(surroundings, claimed, lease)
  try {
    await run(surroundings, claimed, notes)
    await notes.finish()
    return { state: 'finished' }
  } catch (error) {
    await notes.finish()
    if (error instanceof Interrupted) return notes.isCancelled() ? { state: 'cancelled' } : { state: 'interrupted' }
    // Both are written for people.
    if (error instanceof ImportError || error instanceof ApiError) return { state: 'failed', failure: error.message }
    logError('An import was interrupted.', error, { import_id: claimed.id })
    // It is tried again when the database is back, and after all else as long as each try gets further.
    const goesOn = isDatabaseAway(error) || notes.hasMoved()
    return goesOn ? { state: 'interrupted' } : { state: 'failed', failure: OUR_FAULT }
  }
}

const OUR_FAULT = 'Something went wrong on our side. What was imported until then stays.'

/** Thrown between two batches, or two pieces of the file, when it is not to go on. */
class Interrupted extends Error {}

type Notes = ReturnType<typeof createNotes>

async function run({ db, now, onWritten }: Surroundings, claimed: ClaimedImport, notes: Notes): Promise<void> {
  const { workspaceId, objectId, plan, delimiter, counts: before } = claimed
  const importContext = await openImportContext(db, workspaceId, now, (model) => {
    const member = model.membersById.get(claimed.createdBy)
    if (member !== undefined && member.access_level !== 'suspended') return member.actor
    throw new ImportError('Whoever began this import is no member of the workspace any more.')
  })
  const stopIfAsked = () => {
    if (notes.isToStop()) throw new Interrupted()
  }
  const file = openStoredFile(db.sql, claimed, delimiter, stopIfAsked)
  const mapping = mappingOf(plan)
  const header = await headerOf(file)
  const prepared = await prepare(importContext.context().model, objectId, file, header, mapping)
  const { attributes, options } = prepared.missing
  // Of the whole file, and of the member as they are now; the rows that were looked at before said less.
  refuseAdditions(importContext.context().model.membersById.get(claimed.createdBy)?.access_level, {
    attributes: attributes.map(({ title }) => title),
    options,
  })
  await makeMissing(importContext, objectId, prepared.missing)
  const { model } = importContext.context()
  const object = getObject(model, objectId)
  const identification = identificationOf(model, object, plan)
  const appends = ({ id }: { id: string }) => !plan.overwrite || id === identification.match?.id
  const writeOptions = {
    importContext,
    objectId,
    identification,
    modeOf: (attribute: { id: string }) => (appends(attribute) ? ('append' as const) : ('overwrite' as const)),
    isDryRun: false,
  }
  await importRows(
    {
      file: openStoredFile(db.sql, claimed, delimiter, notes.onRead),
      model,
      object,
      bindings: bindColumns(model, object, header, mapping.columns),
      country: countryOf(plan),
      batchSize: BATCH_ROWS,
      writeOptions,
      after: before.read,
    },
    {
      onProgress(counts) {
        notes.onCounts(sum(before, counts))
        onWritten()
        stopIfAsked()
      },
      onProblem: notes.onProblem,
    },
  )
}

async function headerOf(file: CsvFile): Promise<string[]> {
  for await (const { cells } of readCsv(file)) return cells.map((cell) => cell.trim())
  throw new ImportError('The file is empty; its first row has to name the columns.')
}

const sum = (one: RowCounts, other: RowCounts): RowCounts => ({
  read: one.read + other.read,
  created: one.created + other.created,
  updated: one.updated + other.updated,
  unchanged: one.unchanged + other.unchanged,
  skipped: one.skipped + other.skipped,
  repeated: one.repeated + other.repeated,
  incomplete: one.incomplete + other.incomplete,
})
