/** The numbers beside the titles of a record's tabs. A number that cannot be read is not shown. */

import type { RecordTypePath } from '../../../api/data-model/attributes'
import type { TabItem } from '../../../components/layout/TabList.svelte'
import { type ChangeEvent, changeEvents } from '../../../state/events/change-events'
import { CoalescedRead } from '../../../state/reads/coalesced-read'
import { mayConcernRecord } from '../../../state/events/record-events'
import { type RecordTab, tabsOf } from './tabs'

const PAUSE_MS = 250

export class TabCounts {
  #counts = $state.raw<Readonly<Record<string, number>>>({})
  readonly #type: RecordTypePath
  readonly #recordId: string
  readonly #requested = new Set<string>()
  /** The ids of the tabs whose numbers are outdated. */
  readonly #stale = new Set<string>()
  readonly #renewal = new CoalescedRead(() => this.#readStale(), PAUSE_MS)
  #running = new AbortController()

  constructor(type: RecordTypePath, recordId: string) {
    this.#type = type
    this.#recordId = recordId
  }

  itemsOf(tabs: readonly RecordTab[]): readonly TabItem[] {
    return tabs.map(({ id, title }) => ({ id, title, count: this.#counts[id] }))
  }

  /** Reads the numbers of tabs that have none yet: tabs of activities appear when their attributes are loaded. For use in an effect. */
  readNew(): void {
    const added = tabsOf(this.#type).filter(({ id }) => !this.#requested.has(id))
    for (const { id } of added) this.#requested.add(id)
    this.#renew(added)
  }

  /** For use in an effect. */
  follow(): () => void {
    this.#running = new AbortController()
    const stop = changeEvents.follow({
      onevent: (event) => this.#renew(tabsAfter(event, this.#type, this.#recordId)),
      onmissed: () => this.#renew(tabsOf(this.#type)),
    })
    return () => {
      stop()
      this.#renewal.stop()
      this.#running.abort()
    }
  }

  /** Reads the number of a tab again, after a change of which no event is sent. */
  renew(id: string): void {
    this.#renew(tabsOf(this.#type).filter((tab) => tab.id === id))
  }

  #renew(tabs: readonly RecordTab[]): void {
    for (const { id, count } of tabs) if (count) this.#stale.add(id)
    if (this.#stale.size > 0) this.#renewal.request()
  }

  async #readStale(): Promise<void> {
    const stale = tabsOf(this.#type).filter(({ id }) => this.#stale.has(id))
    this.#stale.clear()
    await Promise.all(stale.map((tab) => this.#read(tab)))
  }

  async #read({ id, count }: RecordTab): Promise<void> {
    const { signal } = this.#running
    const number = await count?.read(this.#type.slug, this.#recordId, signal).catch(() => undefined)
    if (number !== undefined && !signal.aborted) this.#counts = { ...this.#counts, [id]: number }
  }
}

const tabsAfter = (event: ChangeEvent, type: RecordTypePath, recordId: string): readonly RecordTab[] =>
  mayConcernRecord(event, recordId)
    ? tabsOf(type).filter(({ count }) => count?.kinds.some((kind) => event.event_type.startsWith(`${kind}.`)))
    : []
