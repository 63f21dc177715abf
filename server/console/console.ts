/** What the routes of the console are made of. */

import type { Doer } from '../access/audit'
import { sessionCookie, type SessionCookie } from '../access/session-cookie'
import type { Device } from '../access/sessions'
import { JsonText } from '../http/response/answer'
import { type ConsoleDoor, type ConsoleMember, createConsoleDoor, type People } from '../http/guard/session-guard'
import type { Platform } from '../platform'
import { createGateway, type Gateway } from './gateway'
import { createPeople } from './people'

export interface Console {
  readonly platform: Platform
  readonly people: People
  readonly door: ConsoleDoor
  readonly cookie: SessionCookie
  readonly gateway: Gateway
}

export function createConsole(platform: Platform): Console {
  const { brand, appUrl } = platform.settings
  const cookie = sessionCookie(brand, appUrl)
  const people = createPeople(platform, cookie)
  return {
    platform,
    people,
    door: createConsoleDoor(platform.settings, people),
    cookie,
    gateway: createGateway(platform, people),
  }
}

interface Seen {
  readonly request: Request
  readonly address: string | null
}

/** With which browser somebody came, and from where. */
export const deviceOf = ({ request, address }: Seen): Device => ({
  userAgent: request.headers.get('user-agent') ?? '',
  address,
})

/** Who does something, for the audit log. */
export const doerOf = ({ member, address }: { member: ConsoleMember; address: string | null }): Doer => ({
  actor: { type: 'workspace-member', id: member.memberId },
  address,
})

/** An answer that gives the browser a cookie. */
export const withCookie = (header: string, data: object = {}): JsonText =>
  new JsonText(JSON.stringify({ data }), { headers: { 'Set-Cookie': header } })
