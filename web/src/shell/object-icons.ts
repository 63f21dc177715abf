/** The icons of objects. Custom objects share one. */

import Box from '@lucide/svelte/icons/box'
import Building from '@lucide/svelte/icons/building'
import CircleUserRound from '@lucide/svelte/icons/circle-user-round'
import Handshake from '@lucide/svelte/icons/handshake'
import PanelsTopLeft from '@lucide/svelte/icons/panels-top-left'
import Users from '@lucide/svelte/icons/users'
import type { IconComponent } from './destinations'

const ICONS: Readonly<Record<string, IconComponent>> = {
  people: Users,
  companies: Building,
  deals: Handshake,
  users: CircleUserRound,
  workspaces: PanelsTopLeft,
}

export const objectIcon = (slug: string | null): IconComponent => ICONS[slug ?? ''] ?? Box
