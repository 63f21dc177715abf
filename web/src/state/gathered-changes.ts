/**
 * The records of one object, or the entries of one list, that changed in a while: handed on together, and not before those
 * handed on last were dealt with, so that a thousand changes are a few reads.
 */

import { type ChangeEvent, changeEvents } from './change-events'

export interface Changes {
  readonly created: ReadonlySet<string>
  /** With the attributes whose values changed. */
  readonly updated: ReadonlyMap<string, ReadonlySet<string>>
  readonly deleted: ReadonlySet<string>
}

export interface ChangesTaker {
  take(changes: Changes): Promise<void>
  /** Reads anew what is shown: changes may have been missed, or were too many. */
  refresh(): Promise<void>
}

const PAUSE_MS = 250

/** More changes in one while are not looked at one by one. */
const MOST = 1000

/** Follows the records or entries of an object or list; gives the way to stop. For use in an effect. */
export function followChanges(entityTypeId: string, taker: ChangesTaker): () => void {
  let gathered = new Map<string, Gathered>()
  let hasMissed = false
  let isBusy = false
  let isOver = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const handOn = async () => {
    timer = undefined
    if (isBusy || isOver || (gathered.size === 0 && !hasMissed)) return
    const [changes, isLost] = [gathered, hasMissed || gathered.size > MOST]
    gathered = new Map()
    hasMissed = false
    isBusy = true
    try {
      await (isLost ? taker.refresh() : taker.take(changesIn(changes)))
    } catch {
      hasMissed = true // as soon as something else happens, all is read anew
    }
    isBusy = false
    if (gathered.size > 0) plan()
  }
  const plan = () => (timer ??= setTimeout(() => void handOn(), PAUSE_MS))

  const stop = changeEvents.follow({
    onevent(event) {
      const id = changedId(event, entityTypeId)
      if (id === undefined) return
      gathered.set(id, withEvent(gathered.get(id), event))
      plan()
    },
    onmissed() {
      hasMissed = true
      plan()
    },
  })
  return () => {
    isOver = true
    clearTimeout(timer)
    stop()
  }
}

/** What became of one record or entry. */
interface Gathered {
  readonly isCreated: boolean
  readonly isDeleted: boolean
  readonly attributes: ReadonlySet<string>
}

const NOTHING: Gathered = { isCreated: false, isDeleted: false, attributes: new Set() }

/** Undefined for what concerns another object or list, or neither records nor entries. */
function changedId({ event_type, id }: ChangeEvent, entityTypeId: string): string | undefined {
  if (event_type.startsWith('record.') && id.object_id === entityTypeId) return id.record_id
  if (event_type.startsWith('list-entry.') && id.list_id === entityTypeId) return id.entry_id
  return undefined
}

/** Of a merge nobody need know which of both is left: whoever reads them anew finds one. */
function withEvent(before: Gathered = NOTHING, { event_type, id }: ChangeEvent): Gathered {
  if (event_type.endsWith('.created')) return { ...before, isCreated: true }
  if (event_type.endsWith('.deleted')) return { ...before, isDeleted: true }
  return { ...before, attributes: new Set([...before.attributes, id.attribute_id ?? '']) }
}

function changesIn(gathered: ReadonlyMap<string, Gathered>): Changes {
  const all = [...gathered]
  const present = all.filter(([, { isDeleted }]) => !isDeleted)
  return {
    created: new Set(present.flatMap(([id, { isCreated }]) => (isCreated ? [id] : []))),
    updated: new Map(present.flatMap(([id, { isCreated, attributes }]) => (isCreated ? [] : [[id, attributes]]))),
    deleted: new Set(all.flatMap(([id, { isDeleted }]) => (isDeleted ? [id] : []))),
  }
}
