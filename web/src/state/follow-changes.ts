/**
 * Follows changes to the records of an object or to the entries of a list, in batches. A batch is applied after the one before
 * it, so that a thousand events cause a few requests.
 */

import { type ChangeEvent, changeEvents } from './change-events'

export interface Changes {
  readonly created: ReadonlySet<string>
  /** The ids of the changed attributes, by the id of the record or entry. */
  readonly updated: ReadonlyMap<string, ReadonlySet<string>>
  readonly deleted: ReadonlySet<string>
}

export interface ChangesConsumer {
  apply(changes: Changes): Promise<void>
  /** Reads the shown data again, because events were missed or a batch was too large. */
  refresh(): Promise<void>
}

const BATCH_MS = 250

/** A larger batch is not applied: the consumer refreshes instead. */
const MAX_BATCH = 1000

/** `entityTypeId` is the id of the object or list. Returns the function that ends it; for use in an effect. */
export function followChanges(entityTypeId: string, consumer: ChangesConsumer): () => void {
  let batch = new Map<string, EntityChange>()
  let hasMissed = false
  let isBusy = false
  let isEnded = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const flush = async () => {
    timer = undefined
    if (isBusy || isEnded || (batch.size === 0 && !hasMissed)) return
    const changes = batch
    const needsRefresh = hasMissed || changes.size > MAX_BATCH
    batch = new Map()
    hasMissed = false
    isBusy = true
    try {
      await (needsRefresh ? consumer.refresh() : consumer.apply(changesIn(changes)))
    } catch {
      hasMissed = true // the next event causes a refresh
    }
    isBusy = false
    if (batch.size > 0) schedule()
  }
  const schedule = () => (timer ??= setTimeout(() => void flush(), BATCH_MS))

  const stop = changeEvents.follow({
    onevent(event) {
      const id = changedId(event, entityTypeId)
      if (id === undefined) return
      batch.set(id, withEvent(batch.get(id), event))
      schedule()
    },
    onmissed() {
      hasMissed = true
      schedule()
    },
  })
  return () => {
    isEnded = true
    clearTimeout(timer)
    stop()
  }
}

/** The events of one record or entry within a batch. */
interface EntityChange {
  readonly isCreated: boolean
  readonly isDeleted: boolean
  readonly attributeIds: ReadonlySet<string>
}

const UNCHANGED: EntityChange = { isCreated: false, isDeleted: false, attributeIds: new Set() }

/** Undefined for events of another object or list, and for those of neither records nor entries. */
function changedId({ event_type, id }: ChangeEvent, entityTypeId: string): string | undefined {
  if (event_type.startsWith('record.') && id.object_id === entityTypeId) return id.record_id
  if (event_type.startsWith('list-entry.') && id.list_id === entityTypeId) return id.entry_id
  return undefined
}

/** Merging changes two records and deletes one of them; a read of both tells which. */
function withEvent(before: EntityChange = UNCHANGED, { event_type, id }: ChangeEvent): EntityChange {
  if (event_type.endsWith('.created')) return { ...before, isCreated: true }
  if (event_type.endsWith('.deleted')) return { ...before, isDeleted: true }
  return { ...before, attributeIds: new Set([...before.attributeIds, id.attribute_id ?? '']) }
}

function changesIn(batch: ReadonlyMap<string, EntityChange>): Changes {
  const all = [...batch]
  const present = all.filter(([, { isDeleted }]) => !isDeleted)
  return {
    created: new Set(present.flatMap(([id, { isCreated }]) => (isCreated ? [id] : []))),
    updated: new Map(present.flatMap(([id, { isCreated, attributeIds }]) => (isCreated ? [] : [[id, attributeIds]]))),
    deleted: new Set(all.flatMap(([id, { isDeleted }]) => (isDeleted ? [id] : []))),
  }
}
