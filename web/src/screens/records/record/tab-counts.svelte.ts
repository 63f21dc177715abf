/** The numbers beside the titles of a record's tabs. A number that cannot be read is not shown. */

import type { TabItem } from '../../../components/layout/TabList.svelte'
import { type ChangeEvent, changeEvents } from '../../../state/events/change-events'
import { CoalescedRead } from '../../../state/reads/coalesced-read'
import { mayConcernRecord } from '../../../state/events/record-events'
import { RECORD_TABS, type RecordTab, tabsOf } from './tabs'

const PAUSE_MS = 250

export class TabCounts {
  #counts = $state.raw<Readonly<Record<string, number>>>({})
  readonly #slug: string
  readonly #recordId: string
  /** The ids of the tabs whose numbers are outdated. */
  readonly #stale = new Set<string>()
  readonly #renewal = new CoalescedRead(() => this.#readStale(), PAUSE_MS)
  #running = new AbortController()

  constructor(slug: string, recordId: string) {
    this.#slug = slug
    this.#recordId = recordId
  }

  get tabs(): readonly TabItem[] {
    return tabsOf(this.#slug).map(({ id, title }) => ({ id, title, count: this.#counts[id] }))
  }

  /** For use in an effect. */
  follow(): () => void {
    this.#running = new AbortController()
    this.#renew(RECORD_TABS)
    const stop = changeEvents.follow({
      onevent: (event) => this.#renew(tabsAfter(event, this.#recordId)),
      onmissed: () => this.#renew(RECORD_TABS),
    })
    return () => {
      stop()
      this.#renewal.stop()
      this.#running.abort()
    }
  }

  #renew(tabs: readonly RecordTab[]): void {
    for (const { id, count } of tabs) if (count) this.#stale.add(id)
    if (this.#stale.size > 0) this.#renewal.request()
  }

  async #readStale(): Promise<void> {
    const stale = RECORD_TABS.filter(({ id }) => this.#stale.has(id))
    this.#stale.clear()
    await Promise.all(stale.map((tab) => this.#read(tab)))
  }

  async #read({ id, count }: RecordTab): Promise<void> {
    const { signal } = this.#running
    const number = await count?.read(this.#slug, this.#recordId, signal).catch(() => undefined)
    if (number !== undefined && !signal.aborted) this.#counts = { ...this.#counts, [id]: number }
  }
}

const tabsAfter = (event: ChangeEvent, recordId: string): readonly RecordTab[] =>
  mayConcernRecord(event, recordId)
    ? RECORD_TABS.filter(({ count }) => count?.kinds.some((kind) => event.event_type.startsWith(`${kind}.`)))
    : []
