/** A second person in the workspace, who is invited and joins, in a browser context of their own. */

import type { Browser, BrowserContext } from 'playwright/test'
import { type Console, serviceUrl, SIGNED_OUT } from './journey'

export interface SecondMember {
  readonly email: string
  readonly context: BrowserContext
}

/** A first name belongs to one journey, because the email address is made from it. `baseURL` is that of a service which the journey has started. */
export async function joinAs(
  browser: Browser,
  { settings }: Console,
  names: { readonly first_name: string; readonly last_name: string },
  baseURL = serviceUrl(),
): Promise<SecondMember> {
  const email = `${names.first_name.toLowerCase()}@example.com`
  const { body } = await settings('POST', '/invitations', { email_address: email, access_level: 'member' })
  const token = new URL(body.data.invite_url).pathname.split('/').at(-1)
  const context = await browser.newContext({ baseURL, storageState: SIGNED_OUT })
  const data = { ...names, password: 'a bridge of numbers' }
  const joined = await context.request.post(`/console/api/invitations/${token}/accept`, { data })
  if (!joined.ok()) throw new Error(`The invitation was answered with ${joined.status()}: ${await joined.text()}`)
  return { email, context }
}
