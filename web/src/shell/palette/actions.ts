/** The actions of the palette. */

import CircleCheck from '@lucide/svelte/icons/circle-check'
import ListPlus from '@lucide/svelte/icons/list-plus'
import LogOut from '@lucide/svelte/icons/log-out'
import Monitor from '@lucide/svelte/icons/monitor'
import Moon from '@lucide/svelte/icons/moon'
import NotebookText from '@lucide/svelte/icons/notebook-text'
import Plus from '@lucide/svelte/icons/plus'
import Sun from '@lucide/svelte/icons/sun'
import Upload from '@lucide/svelte/icons/upload'
import Webhook from '@lucide/svelte/icons/webhook'
import type { Activity } from '../../api/data-model/activities'
import { standardWords } from '../../api/data-model/standard-names'
import { goTo, location } from '../../router/location.svelte'
import { recordTypePath, type RecordType } from '../../state/data-model.svelte'
import { activitiesReferringTo, loggingSearch } from '../../state/referring-activities'
import { session } from '../../state/session.svelte'
import { theme } from '../../state/theme.svelte'
import type { IconComponent } from '../destinations'
import { recordTypeIcon } from '../object-icons'
import type { PaletteItem } from './items'
import { nounInSentence } from '../../language'

const link = (label: string, href: string, icon: IconComponent, words = ''): PaletteItem => ({
  id: href,
  label,
  icon,
  words,
  act: () => goTo(href),
})

/** Those of the object or activity of the current page come first. `types` are those whose records the member may change. */
export function actionsOf(types: readonly RecordType[]): readonly PaletteItem[] {
  const isOpen = (type: RecordType) =>
    `${location.path}/`.startsWith(`${recordTypePath(type)}/`) || ('extends' in type && refersToShown(type))
  const open = types.filter(isOpen)
  const others = types.filter((type) => !isOpen(type))
  return [
    ...open.flatMap(recordActions),
    link('New note', '/notes?new', NotebookText),
    link('New task', '/tasks?new=1', CircleCheck),
    link('New list', '/settings/lists?new=1', ListPlus),
    ...(session.may('webhooks') ? [link('New webhook', '/webhooks?new=', Webhook)] : []),
    { id: 'light', label: 'Switch to light theme', icon: Sun, act: () => theme.choose('light') },
    { id: 'dark', label: 'Switch to dark theme', icon: Moon, act: () => theme.choose('dark') },
    {
      id: 'system',
      label: 'Use the theme of the system',
      icon: Monitor,
      act: () => theme.choose('system'),
    },
    ...others.flatMap(recordActions).map((item) => ({ ...item, isSearchedOnly: true as const })),
    { id: 'sign-out', label: 'Sign out', icon: LogOut, act: () => session.leave() },
  ]
}

function recordActions(type: RecordType): PaletteItem[] {
  const { api_slug, singular_noun, plural_noun } = type
  if (api_slug === null) return []
  const [one, many] = [singular_noun ?? api_slug, plural_noun ?? api_slug]
  const words = `${standardWords(one)} ${standardWords(many)}`
  if ('extends' in type) return [link(`Log ${nounInSentence(one)}`, logPath(type), recordTypeIcon(type), words)]
  return [
    link(`New ${nounInSentence(one)}`, `/objects/${api_slug}?new=1`, Plus, words),
    link(`Import ${nounInSentence(many)}`, `/objects/${api_slug}/import`, Upload, words),
  ]
}

/** The form of the shown record, if the activity can refer to it, or else that of the table of the activity. */
const logPath = (activity: Activity): string =>
  refersToShown(activity)
    ? `${location.path}?${new URLSearchParams(loggingSearch(activity))}`
    : `${recordTypePath(activity)}?new=1`

const OTHER_PAGES = ['import', 'trash']

function refersToShown(activity: Activity): boolean {
  const [, kind, slug = '', record = ''] = location.path.split('/')
  if (kind !== 'objects' || record === '' || OTHER_PAGES.includes(record)) return false
  return activitiesReferringTo(slug).some((one) => one.activity === activity)
}
