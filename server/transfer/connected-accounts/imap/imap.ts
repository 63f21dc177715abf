/** Email accounts that the service reads over IMAP. See docs/connected-accounts.md. */

import type { Transaction } from '#db/connect'
import { deletePartOfMailbox, removeFromPartOfMailbox } from '#crm/mailboxes/delete-emails'
import { listMailboxAddresses } from '#crm/mailboxes/list-emails'
import { isTransient } from '#base/errors/database'
import { requestRefreshesFor } from '#crm/interactions/refresh-queue'
import { type AccountRun, defineAccountKind } from '#transfer/connected-accounts/account'
import { createExclusions } from '#transfer/connected-accounts/exclusions'
import type { ImapSettings } from '#transfer/connected-accounts/settings'
import { checkSmtp } from '#transfer/connected-accounts/sending/smtp'
import { closeImap, openImap, imapProblemOf } from './connect'
import { openMessageStore, forgetMessages, type MessageStore } from './store-messages'
import { parseSyncState, walkAgain } from './sync-state'
import { synchroniseImap } from './synchronise'

type ImapRun = AccountRun<ImapSettings>

export const imapKind = defineAccountKind<ImapSettings>({
  kind: 'imap',

  async check(servers, connection) {
    const client = await openImap(servers, connection)
    try {
      // A server may accept the password and refuse the mailbox.
      await client.mailboxOpen('INBOX', { readOnly: true })
    } catch (error) {
      throw imapProblemOf(error)
    } finally {
      await closeImap(client)
    }
    await checkSmtp(servers, connection)
  },

  async synchronise(run) {
    const client = await openImap(run.servers, run.account)
    try {
      return await synchroniseImap(run, client)
    } catch (error) {
      throw isOfServer(error) ? imapProblemOf(error) : error
    } finally {
      await closeImap(client)
    }
  },

  async deletePart(run) {
    const store = await openMessageStore(run)
    return inTransaction(run, async (tx) => {
      const { deleted, addresses } = await deletePartOfMailbox(tx, store.mailbox)
      await refresh(tx, store, addresses)
      return deleted > 0
    })
  },

  async applySharing(run) {
    const store = await openMessageStore(run)
    for (let after = ''; ;) {
      run.signal.throwIfAborted()
      const addresses = await listMailboxAddresses(run.appContext.db, store.mailbox, after)
      await requestRefreshesFor(run.appContext.db.sql, await store.getModel(), addresses, store.now())
      const last = addresses.at(-1)
      if (last === undefined) return
      after = last
    }
  },

  async applyExclusions(run) {
    const store = await openMessageStore(run)
    const isExcluded = createExclusions(await store.getModel(), store.exclusions, store.ownAddresses)
    const removal = { isRemoved: isExcluded, isOwn: (address: string) => store.ownAddresses.has(address) }
    let { progress } = run.account
    for (let after: string | undefined = ''; after !== undefined;) {
      run.signal.throwIfAborted()
      after = await inTransaction(run, async (tx) => {
        const part = await removeFromPartOfMailbox(tx, store.mailbox, { ...removal, after: after ?? '' })
        await refresh(tx, store, part.addresses)
        await forgetMessages(tx, store, part.deleted)
        progress = { ...progress, stored: Math.max(0, progress.stored - part.deleted.length) }
        await run.save(tx, { progress })
        return part.last
      })
    }
    const state = walkAgain(parseSyncState(run.account.syncState))
    await inTransaction(run, (tx) => run.save(tx, { syncState: state }))
  },
})

const inTransaction = <T>({ appContext }: ImapRun, write: (tx: Transaction) => Promise<T>): Promise<T> =>
  appContext.db.sql.begin(write) as Promise<T> // the driver's type for the callback's result is wider

const refresh = async (tx: Transaction, store: MessageStore, addresses: readonly string[]): Promise<void> =>
  requestRefreshesFor(tx, await store.getModel(), addresses, store.now())

/** Whether the library or the network made the error, and not the database or the service. */
const isOfServer = (error: unknown): boolean =>
  error instanceof Error &&
  error.name !== 'PostgresError' &&
  !isTransient(error) &&
  ('responseStatus' in error || ('code' in error && typeof error.code === 'string'))
