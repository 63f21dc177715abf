/** The icons of objects and activities. Custom objects share one; an activity has that of the schema that it extends. */

import Box from '@lucide/svelte/icons/box'
import Building from '@lucide/svelte/icons/building'
import CalendarClock from '@lucide/svelte/icons/calendar-clock'
import CircleUserRound from '@lucide/svelte/icons/circle-user-round'
import Handshake from '@lucide/svelte/icons/handshake'
import Mail from '@lucide/svelte/icons/mail'
import MessagesSquare from '@lucide/svelte/icons/messages-square'
import PanelsTopLeft from '@lucide/svelte/icons/panels-top-left'
import Phone from '@lucide/svelte/icons/phone'
import Users from '@lucide/svelte/icons/users'
import type { Activity, ActivitySchema } from '../api/data-model/activities'
import type { RecordType } from '../state/data-model.svelte'
import type { IconComponent } from './destinations'

const ICONS: Readonly<Record<string, IconComponent>> = {
  people: Users,
  companies: Building,
  deals: Handshake,
  users: CircleUserRound,
  workspaces: PanelsTopLeft,
}

export const objectIcon = (slug: string | null): IconComponent => ICONS[slug ?? ''] ?? Box

const SCHEMA_ICONS: Readonly<Record<ActivitySchema, IconComponent>> = {
  activities: CalendarClock,
  interactions: MessagesSquare,
  calls: Phone,
  emails: Mail,
}

export const activityIcon = ({ extends: [schema] }: Pick<Activity, 'extends'>): IconComponent =>
  SCHEMA_ICONS[schema?.schema_slug ?? 'activities']

export const recordTypeIcon = (type: RecordType): IconComponent =>
  'extends' in type ? activityIcon(type) : objectIcon(type.api_slug)
