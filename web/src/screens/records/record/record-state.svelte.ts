/** The record of a page or panel: its attributes and values, its name, and its changes by other people. */

import type { RecordTypePath } from '../../../api/data-model/attributes'
import { getEntity, type Entity } from '../../../api/records/entities'
import { openAttributes } from '../../../state/attributes.svelte'
import { getDataModel, recordTypeOf } from '../../../state/data-model.svelte'
import type { Changes } from '../../../state/events/change-batch'
import { followChanges } from '../../../state/events/follow-changes'
import { RemoteData } from '../../../state/reads/remote-data.svelte'
import { nameIn, nameSlugs } from '../../../state/record-label'
import { setRecordName } from '../../../state/record-names.svelte'
import { ValueWrites } from '../../../state/value-writes'
import { nounsOf } from '../table/nouns'
import { nounInSentence } from '../../../language'

export class RecordState {
  readonly id: string
  readonly entityType: RecordTypePath
  readonly attributes
  readonly writes: ValueWrites
  /** A record that was written during the read keeps its shown values. */
  readonly loaded: RemoteData<Entity>
  readonly #model = getDataModel()

  constructor(entityType: RecordTypePath, id: string) {
    this.id = id
    this.entityType = entityType
    this.attributes = openAttributes(this.entityType)
    this.writes = new ValueWrites(this.entityType, (changed) => (this.loaded.data = changed))
    this.loaded = new RemoteData<Entity>((signal) => this.#read(signal))
  }

  readonly #type = $derived.by(() => recordTypeOf(this.#model.data, this.entityType))
  readonly nouns = $derived.by(() =>
    nounsOf(this.#type?.singular_noun ?? 'record', this.#type?.plural_noun ?? 'records'),
  )
  /** Whether the record was deleted while it was shown. */
  #wasDeleted = $state(false)
  /** Whether the object or activity exists and the record does not. */
  readonly isGone = $derived.by(
    () => this.loaded.error?.isNotFound === true && this.loaded.data === undefined && this.#type !== undefined,
  )
  /** Empty while the record is loading. */
  readonly name = $derived.by(() => {
    const noun = nounInSentence(this.nouns.one)
    if (this.isGone) return this.#wasDeleted ? `Deleted ${noun}` : `${this.nouns.one} not found`
    if (!this.loaded.data || !this.attributes.data) return ''
    return (
      nameIn(this.entityType, this.loaded.data.values, nameSlugs(this.entityType, this.attributes.data)) ??
      `Unnamed ${noun}`
    )
  })
  readonly #entityTypeId = $derived.by(() => this.attributes.data?.[0]?.id.object_id)

  /** Starts the effects of the screen. Called while its component is created. */
  follow(): void {
    $effect(() => {
      const id = this.#entityTypeId
      const consumer = { apply: (changes: Changes) => this.#apply(changes), refresh: () => this.refresh() }
      return id === undefined ? undefined : followChanges(id, consumer)
    })
    $effect(() => {
      if (this.loaded.data && this.name !== '') setRecordName(this.id, this.name)
    })
  }

  async refresh(): Promise<void> {
    await this.loaded.load()
    if (!this.loaded.error?.isNotFound) return
    this.#wasDeleted ||= this.loaded.data !== undefined
    this.loaded.data = undefined
  }

  async #read(signal: AbortSignal): Promise<Entity> {
    const { found, isOutdated } = await this.writes.read([this.id], () => getEntity(this.entityType, this.id, signal))
    return (isOutdated(this.id) ? this.loaded.data : undefined) ?? found.entity
  }

  async #apply({ created, updated, deleted }: Changes): Promise<void> {
    if (created.has(this.id) || updated.has(this.id) || deleted.has(this.id)) await this.refresh()
  }
}
