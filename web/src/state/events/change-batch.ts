/** The change events of one batch, combined by record or entry. */

import type { ChangeEvent } from './change-events'

export interface Changes {
  readonly created: ReadonlySet<string>
  /** The ids of the changed attributes, by the id of the record or entry. */
  readonly updated: ReadonlyMap<string, ReadonlySet<string>>
  readonly deleted: ReadonlySet<string>
}

type ObservedEvent = ChangeEvent & {
  /** An original of a merge. */
  readonly duplicate_record_id?: string | null
}

/** The events of one record or entry within a batch. */
interface EntityChange {
  /** The last of these events: a deleted record may be restored, which creates it again. */
  readonly last: 'created' | 'deleted' | undefined
  readonly attributeIds: ReadonlySet<string>
}

const UNCHANGED: EntityChange = { last: undefined, attributeIds: new Set() }

export class ChangeBatch {
  readonly #entityTypeId: string
  readonly #changes = new Map<string, EntityChange>()

  /** `entityTypeId` is the id of the object, activity or list whose events the batch takes. */
  constructor(entityTypeId: string) {
    this.#entityTypeId = entityTypeId
  }

  get size(): number {
    return this.#changes.size
  }

  /** Returns false for events of another object, activity or list, and for those of neither records nor entries. */
  add(event: ObservedEvent): boolean {
    const { event_type, duplicate_record_id } = event
    const id = this.#idOf(event)
    if (id === undefined) return false
    if (event_type === 'record.merged') {
      // A merge creates a record and deletes both originals. Each original has an event.
      this.#set(id, { last: 'created' })
      if (duplicate_record_id) this.#set(duplicate_record_id, { last: 'deleted' })
    } else if (event_type.endsWith('.created')) this.#set(id, { last: 'created' })
    else if (event_type.endsWith('.deleted')) this.#set(id, { last: 'deleted' })
    else this.#addAttribute(id, event.id.attribute_id ?? '')
    return true
  }

  changes(): Changes {
    const all = [...this.#changes]
    const idsOf = (last: EntityChange['last']) => all.flatMap(([id, change]) => (change.last === last ? [id] : []))
    return {
      created: new Set(idsOf('created')),
      updated: new Map(all.flatMap(([id, { last, attributeIds }]) => (last ? [] : [[id, attributeIds]]))),
      deleted: new Set(idsOf('deleted')),
    }
  }

  #idOf({ event_type, id }: ChangeEvent): string | undefined {
    if (event_type.startsWith('record.') && id.object_id === this.#entityTypeId) return id.record_id
    if (event_type.startsWith('activity-record.') && id.activity_id === this.#entityTypeId) return id.record_id
    if (event_type.startsWith('list-entry.') && id.list_id === this.#entityTypeId) return id.entry_id
    return undefined
  }

  #addAttribute(id: string, attributeId: string): void {
    const { attributeIds } = this.#changes.get(id) ?? UNCHANGED
    this.#set(id, { attributeIds: new Set([...attributeIds, attributeId]) })
  }

  #set(id: string, change: Partial<EntityChange>): void {
    this.#changes.set(id, { ...UNCHANGED, ...this.#changes.get(id), ...change })
  }
}
