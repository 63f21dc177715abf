/** The pages that the palette opens. */

import ChartColumn from '@lucide/svelte/icons/chart-column'
import CircleCheck from '@lucide/svelte/icons/circle-check'
import Database from '@lucide/svelte/icons/database'
import House from '@lucide/svelte/icons/house'
import Inbox from '@lucide/svelte/icons/inbox'
import ListTree from '@lucide/svelte/icons/list-tree'
import NotebookText from '@lucide/svelte/icons/notebook-text'
import Webhook from '@lucide/svelte/icons/webhook'
import { standardWords } from '../../api/data-model/standard-names'
import { goTo } from '../../router/location.svelte'
import { recordTypePath, type List, type RecordType } from '../../state/data-model.svelte'
import { session } from '../../state/session.svelte'
import { type IconComponent, SETTINGS } from '../destinations'
import { recordTypeIcon } from '../object-icons'
import type { PaletteItem } from './items'

const page = (label: string, href: string, icon: IconComponent, detail?: string, words?: string): PaletteItem => ({
  id: href,
  label,
  icon,
  act: () => goTo(href),
  ...(detail === undefined ? {} : { detail }),
  ...(words === undefined ? {} : { words }),
})

const searched = (item: PaletteItem): PaletteItem => ({ ...item, isSearchedOnly: true })

const TRASH_WORDS = 'restore recover undelete'

const ATTRIBUTE_WORDS = 'archived fields columns properties options statuses stages pipeline'

/** `types` are the objects and activities. */
export function pagesOf(types: readonly RecordType[], lists: readonly List[]): readonly PaletteItem[] {
  const named = types.map((type) => ({
    path: recordTypePath(type),
    name: type.plural_noun ?? type.api_slug ?? '',
    icon: recordTypeIcon(type),
  }))
  return [
    ...named.map(({ path, name, icon }) => page(name, path, icon, undefined, standardWords(name))),
    ...lists.map(({ api_slug, name }) => page(name, `/lists/${api_slug}`, ListTree, 'List')),
    page('Home', '/home', House),
    page('Inbox', '/inbox', Inbox),
    page('Tasks', '/tasks', CircleCheck),
    page('Notes', '/notes', NotebookText),
    page('Dashboards', '/dashboards', ChartColumn),
    page('SQL', '/sql', Database),
    page('Webhooks', '/webhooks', Webhook),
    page('Test endpoints', '/webhooks/test-endpoints', Webhook),
    ...SETTINGS.flatMap(({ destinations }) => destinations)
      .filter(({ needs }) => session.mayUse(needs))
      .map(({ label, href, icon, words }) => page(label, href, icon, 'Settings', words)),
    ...named.map(({ path, name, icon }) =>
      searched(
        page(`Trash of ${name}`, `${path}/trash`, icon, 'Deleted records', `${TRASH_WORDS} ${standardWords(name)}`),
      ),
    ),
    ...named.map(({ path, name, icon }) =>
      searched(
        page(
          `Attributes of ${name}`,
          `/settings${path}`,
          icon,
          'Settings',
          `${ATTRIBUTE_WORDS} ${standardWords(name)}`,
        ),
      ),
    ),
    ...lists.map(({ api_slug, name }) =>
      searched(page(`Attributes of ${name}`, `/settings/lists/${api_slug}`, ListTree, 'Settings', ATTRIBUTE_WORDS)),
    ),
  ]
}
