/** The pages of the settings, for the navigation and the palette. */

import Activity from '@lucide/svelte/icons/activity'
import Bot from '@lucide/svelte/icons/bot'
import Boxes from '@lucide/svelte/icons/boxes'
import CalendarClock from '@lucide/svelte/icons/calendar-clock'
import Building2 from '@lucide/svelte/icons/building-2'
import Gauge from '@lucide/svelte/icons/gauge'
import KeyRound from '@lucide/svelte/icons/key-round'
import LayoutGrid from '@lucide/svelte/icons/layout-grid'
import ListTree from '@lucide/svelte/icons/list-tree'
import LogIn from '@lucide/svelte/icons/log-in'
import Mail from '@lucide/svelte/icons/mail'
import MailOpen from '@lucide/svelte/icons/mail-open'
import MailPlus from '@lucide/svelte/icons/mail-plus'
import Network from '@lucide/svelte/icons/network'
import ScrollText from '@lucide/svelte/icons/scroll-text'
import UserRoundX from '@lucide/svelte/icons/user-round-x'
import UserRound from '@lucide/svelte/icons/user-round'
import UsersRound from '@lucide/svelte/icons/users-round'
import type { Component } from 'svelte'
import type { Permission } from '#vocabulary/roles'

export type IconComponent = Component<{ size?: number | string }>

export interface Destination {
  readonly label: string
  readonly href: string
  readonly icon: IconComponent
  /** Further words by which people look for the page, in lower case. */
  readonly words?: string
  /** Shown only to admins, or only to those who have the permission. */
  readonly needs?: 'admin' | Permission
}

export interface DestinationGroup {
  readonly label: string
  readonly destinations: readonly Destination[]
}

export const SETTINGS: readonly DestinationGroup[] = [
  {
    label: 'Account',
    destinations: [
      {
        label: 'Account',
        href: '/settings/account',
        icon: UserRound,
        words: 'password passkey two-factor sessions theme name picture profile digest',
      },
      {
        label: 'Email and calendar accounts',
        href: '/settings/connected-accounts',
        icon: Mail,
        words: 'connect gmail google outlook microsoft imap caldav sync mailbox',
      },
    ],
  },
  {
    label: 'Workspace',
    destinations: [
      {
        label: 'General',
        href: '/settings/workspace',
        icon: Building2,
        needs: 'admin',
        words: 'workspace name slug logo country backup storage delete',
      },
      {
        label: 'Members',
        href: '/settings/members',
        icon: UsersRound,
        words: 'invite invitation people users colleagues roles permissions admin suspend',
      },
      { label: 'Teams', href: '/settings/teams', icon: Network, words: 'groups departments' },
      {
        label: 'Sign-in',
        href: '/settings/sign-in',
        icon: LogIn,
        needs: 'admin',
        words: 'sso saml oidc provider scim domains security two-factor',
      },
      {
        label: 'Audit log',
        href: '/settings/audit-log',
        icon: ScrollText,
        needs: 'admin',
        words: 'history changes security who',
      },
    ],
  },
  {
    label: 'Data',
    destinations: [
      {
        label: 'Objects',
        href: '/settings/objects',
        icon: Boxes,
        words: 'archived record types custom objects attributes fields retention access deleted',
      },
      { label: 'Activities', href: '/settings/activities', icon: CalendarClock, words: 'calls logs record types' },
      { label: 'Lists', href: '/settings/lists', icon: ListTree, words: 'pipelines archived' },
      { label: 'Indexes', href: '/settings/indexes', icon: Gauge, needs: 'admin', words: 'performance speed slow' },
      {
        label: 'Personal data',
        href: '/settings/personal-data',
        icon: UserRoundX,
        needs: 'admin',
        words: 'gdpr privacy erase erasure export',
      },
      { label: 'Email templates', href: '/settings/email-templates', icon: MailOpen, words: 'variables unsubscribe' },
      { label: 'Import email and calendar', href: '/settings/import', icon: MailPlus, words: 'mbox eml ics upload' },
    ],
  },
  {
    label: 'Developers',
    destinations: [
      {
        label: 'API keys',
        href: '/settings/keys',
        icon: KeyRound,
        needs: 'api_keys',
        words: 'tokens access developer',
      },
      {
        label: 'Apps',
        href: '/settings/apps',
        icon: LayoutGrid,
        needs: 'apps',
        words: 'oauth client integrations grants',
      },
      { label: 'Assistants', href: '/settings/assistants', icon: Bot, needs: 'admin', words: 'ai mcp' },
      { label: 'Requests', href: '/settings/requests', icon: Activity, needs: 'admin', words: 'api log errors' },
    ],
  },
]

/** The page that “Settings” opens. */
export const FIRST_SETTING = '/settings/account'
