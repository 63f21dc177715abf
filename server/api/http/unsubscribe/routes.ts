/** The page at which a recipient of emails unsubscribes, without a token. See docs/reference/sending-email.md (Unsubscribing). */

import { Elysia } from 'elysia'
import type { AppContext } from '#context'
import {
  addUnsubscribed,
  type LinkedRecipient,
  readUnsubscribe,
  type Recipient,
  UNSUBSCRIBE_PATH,
} from '#crm/email/unsubscribing'
import { recipientPage } from '#api/http/response/error-page'

type UnsubscribeContext = Pick<AppContext, 'db' | 'now'>

const HIDDEN = { detail: { hide: true }, parse: 'none' } as const
const PATH = `${UNSUBSCRIBE_PATH}/:token` as const

/** Programs that fetch links of emails must not unsubscribe anybody, so GET only asks. RFC 8058, 3. */
export const unsubscribeRoutes = (context: UnsubscribeContext) =>
  new Elysia({ name: 'unsubscribe' })
    .get(PATH, async ({ params }) => {
      const recipient = await readUnsubscribe(context.db, params.token)
      if (recipient === undefined) return notFound()
      return findRedirect(recipient, params.token) ?? ask(recipient)
    }, HIDDEN)
    .post(PATH, async ({ params }) => {
      const recipient = await readUnsubscribe(context.db, params.token)
      if (recipient === undefined) return notFound()
      if (recipient.move !== undefined) return findRedirect(recipient, params.token) ?? later()
      await addUnsubscribed(context.db, recipient.workspaceId, [recipient.address], context.now())
      return done(recipient)
    }, HIDDEN) // prettier-ignore

/** The link is valid at the service to which the workspace has moved. */
const findRedirect = ({ move }: LinkedRecipient, token: string): Response | undefined =>
  move?.isDone === true
    ? new Response(null, { status: 308, headers: { Location: `${move.to}${UNSUBSCRIBE_PATH}/${token}` } })
    : undefined

const later = () =>
  recipientPage({
    status: 503,
    title: 'Not now',
    text: 'The service is being moved. Open the link again in some minutes.',
  })

const ask = ({ address }: Recipient) =>
  recipientPage({
    status: 200,
    title: 'Unsubscribe',
    text: `Stop receiving emails at ${address}?`,
    button: 'Unsubscribe',
  })

const done = ({ address }: Recipient) =>
  recipientPage({ status: 200, title: 'Unsubscribed', text: `${address} gets no more of these emails.` })

const notFound = () =>
  recipientPage({
    status: 404,
    title: 'Link not valid',
    text: 'This link is not valid. Reply to the email to unsubscribe.',
  })
