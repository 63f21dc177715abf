/** The items of the palette: records that match the query, pages and actions. */

import CircleCheck from '@lucide/svelte/icons/circle-check'
import Database from '@lucide/svelte/icons/database'
import Inbox from '@lucide/svelte/icons/inbox'
import ListTree from '@lucide/svelte/icons/list-tree'
import LogOut from '@lucide/svelte/icons/log-out'
import Moon from '@lucide/svelte/icons/moon'
import NotebookText from '@lucide/svelte/icons/notebook-text'
import Sun from '@lucide/svelte/icons/sun'
import Webhook from '@lucide/svelte/icons/webhook'
import { type FoundRecord, searchRecords } from '../api/records/search'
import { goTo } from '../router/location.svelte'
import { getDataModel } from '../state/data-model.svelte'
import { session } from '../state/session.svelte'
import { theme } from '../state/theme.svelte'
import { objectIcon } from './object-icons'
import { type IconComponent, SETTINGS } from './destinations'

export interface PaletteItem {
  readonly id: string
  readonly label: string
  readonly detail?: string
  readonly icon: IconComponent
  readonly act: () => unknown
}

export interface PaletteGroup {
  readonly label: string
  readonly items: readonly PaletteItem[]
}

/** The delay before a search, so that not every letter sends a request. */
const PAUSE_MS = 120

export class PaletteSearch {
  query = $state('')
  #records = $state.raw<readonly FoundRecord[]>([])
  isSearching = $state(false)
  /** Why the search for records failed. Pages and actions are still found. */
  failure = $state<string | undefined>()

  readonly #model = getDataModel()

  readonly groups: readonly PaletteGroup[] = $derived.by(() => {
    const groups = [
      { label: 'Records', items: this.#records.map((record) => this.#recordItem(record)) },
      { label: 'Go to', items: this.#destinations().filter((item) => fits(item, this.query)) },
      { label: 'Actions', items: ACTIONS.filter((item) => fits(item, this.query)) },
    ]
    return groups.filter(({ items }) => items.length > 0)
  })

  /** Searches for the query; for use in an effect. */
  follow(): (() => void) | undefined {
    const query = this.query.trim()
    const objects = this.#model.data?.objects.flatMap(({ api_slug }) => (api_slug === null ? [] : [api_slug])) ?? []
    if (query === '' || objects.length === 0) {
      this.#records = []
      return undefined
    }
    const running = new AbortController()
    this.isSearching = true
    const timer = setTimeout(() => void this.#search(query, objects, running.signal), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      running.abort()
    }
  }

  async #search(query: string, objects: readonly string[], signal: AbortSignal): Promise<void> {
    try {
      const records = await searchRecords(query, objects, signal)
      if (signal.aborted) return
      this.#records = records
      this.failure = undefined
    } catch (error) {
      if (signal.aborted) return
      this.#records = []
      this.failure = error instanceof Error ? error.message : String(error)
    }
    this.isSearching = false
  }

  #recordItem({ id, record_text, object_slug, email_addresses, domains }: FoundRecord): PaletteItem {
    const object = this.#model.data?.objects.find(({ api_slug }) => api_slug === object_slug)
    const detail = email_addresses?.[0] ?? domains?.[0] ?? object?.singular_noun ?? object_slug
    return {
      id: id.record_id,
      label: record_text === '' ? 'Unnamed' : record_text,
      detail,
      icon: objectIcon(object_slug),
      act: () => goTo(`/objects/${object_slug}/${id.record_id}`),
    }
  }

  #destinations(): PaletteItem[] {
    const { objects = [], lists = [] } = this.#model.data ?? {}
    const destination = (label: string, href: string, icon: IconComponent, detail?: string): PaletteItem => ({
      id: href,
      label,
      icon,
      act: () => goTo(href),
      ...(detail === undefined ? {} : { detail }),
    })
    return [
      ...objects.map(({ api_slug, plural_noun }) =>
        destination(plural_noun ?? api_slug ?? '', `/objects/${api_slug}`, objectIcon(api_slug)),
      ),
      ...lists.map(({ api_slug, name }) => destination(name, `/lists/${api_slug}`, ListTree, 'List')),
      destination('Inbox', '/inbox', Inbox),
      destination('Tasks', '/tasks', CircleCheck),
      destination('Notes', '/notes', NotebookText),
      destination('SQL', '/sql', Database),
      destination('Webhooks', '/webhooks', Webhook),
      destination('Test endpoints', '/webhooks/test-endpoints', Webhook),
      ...SETTINGS.flatMap(({ destinations }) => destinations)
        .filter(({ needs }) => session.mayUse(needs))
        .map(({ label, href, icon }) => destination(label, href, icon, 'Settings')),
    ]
  }
}

const ACTIONS: readonly PaletteItem[] = [
  { id: 'new-note', label: 'New note', icon: NotebookText, act: () => goTo('/notes?new') },
  { id: 'new-task', label: 'New task', icon: CircleCheck, act: () => goTo('/tasks?new=1') },
  { id: 'light', label: 'Switch to light theme', icon: Sun, act: () => theme.choose('light') },
  { id: 'dark', label: 'Switch to dark theme', icon: Moon, act: () => theme.choose('dark') },
  { id: 'sign-out', label: 'Sign out', icon: LogOut, act: () => session.leave() },
]

/** Every word of the query begins a word of the item. */
function fits({ label, detail = '' }: PaletteItem, query: string): boolean {
  const words = `${label} ${detail}`.toLowerCase().split(/\s+/)
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)))
}
