/** Calendars at a CalDAV server. See docs/connected-accounts.md (Calendars). */

import { defineAccountKind } from '#transfer/connected-accounts/account'
import { calendarKind } from '#transfer/connected-accounts/calendars/calendar-kind'
import type { CalDavSettings } from '#transfer/connected-accounts/settings'
import { createDavClient } from './client'
import { findCalendars } from './find-calendars'
import { parseState, readAgain } from './sync-state'
import { clearEtags } from './synced-events'
import { synchroniseCalDav } from './synchronise'

const POLL_MICROS = 5 * 60_000_000

export const calDavKind = defineAccountKind<CalDavSettings>({
  kind: 'caldav',

  async check(servers, connection) {
    const client = createDavClient(servers, connection, new AbortController().signal)
    await findCalendars(client, connection.settings.url)
  },

  async synchronise(run) {
    await synchroniseCalDav(run)
    await run.markSynced()
    return run.appContext.now() + POLL_MICROS
  },

  ...calendarKind(async (tx, { account }) => {
    await clearEtags(tx, account)
    return readAgain(parseState(account.syncState))
  }),
})
