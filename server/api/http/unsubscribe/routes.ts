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
import { pageLanguage } from '#api/http/request/request-language'
import type { Language } from '#vocabulary/languages'
import { recipientPage, type RecipientPage } from '#api/http/response/error-page'

type UnsubscribeContext = Pick<AppContext, 'db' | 'now'>

const HIDDEN = { detail: { hide: true }, parse: 'none' } as const
const PATH = `${UNSUBSCRIBE_PATH}/:token` as const

/** Programs that fetch links of emails must not unsubscribe anybody, so GET only asks. RFC 8058, 3. */
export const unsubscribeRoutes = (context: UnsubscribeContext) =>
  new Elysia({ name: 'unsubscribe' })
    .get(PATH, async ({ params, request }) => {
      const recipient = await readUnsubscribe(context.db, params.token)
      const language = pageLanguage(request)
      if (recipient === undefined) return notFound(language)
      return findRedirect(recipient, params.token) ?? ask(recipient, language)
    }, HIDDEN)
    .post(PATH, async ({ params, request }) => {
      const recipient = await readUnsubscribe(context.db, params.token)
      const language = pageLanguage(request)
      if (recipient === undefined) return notFound(language)
      if (recipient.move !== undefined) return findRedirect(recipient, params.token) ?? later(language)
      await addUnsubscribed(context.db, recipient.workspaceId, [recipient.address], context.now())
      return done(recipient, language)
    }, HIDDEN) // prettier-ignore

/** The link is valid at the service to which the workspace has moved. */
const findRedirect = ({ move }: LinkedRecipient, token: string): Response | undefined =>
  move?.isDone === true
    ? new Response(null, { status: 308, headers: { Location: `${move.to}${UNSUBSCRIBE_PATH}/${token}` } })
    : undefined

type Texts = Record<Language, Pick<RecipientPage, 'title' | 'text' | 'button'>>

function later(language: Language) {
  const texts: Texts = {
    en: { title: 'Not now', text: 'The service is being moved. Open the link again in some minutes.' },
    de: {
      title: 'Zurzeit nicht möglich',
      text: 'Der Dienst wird gerade umgezogen. Öffnen Sie den Link in einigen Minuten erneut.',
    },
  }
  return recipientPage({ status: 503, language, ...texts[language] })
}

function ask({ address }: Recipient, language: Language) {
  const texts: Texts = {
    en: { title: 'Unsubscribe', text: `Stop receiving emails at ${address}?`, button: 'Unsubscribe' },
    de: { title: 'Abbestellen', text: `Keine E-Mails mehr an ${address} erhalten?`, button: 'Abbestellen' },
  }
  return recipientPage({ status: 200, language, ...texts[language] })
}

function done({ address }: Recipient, language: Language) {
  const texts: Texts = {
    en: { title: 'Unsubscribed', text: `${address} gets no more of these emails.` },
    de: { title: 'Abbestellt', text: `${address} erhält keine dieser E-Mails mehr.` },
  }
  return recipientPage({ status: 200, language, ...texts[language] })
}

function notFound(language: Language) {
  const texts: Texts = {
    en: { title: 'Link not valid', text: 'This link is not valid. Reply to the email to unsubscribe.' },
    de: {
      title: 'Ungültiger Link',
      text: 'Dieser Link ist ungültig. Antworten Sie auf die E-Mail, um sich abzumelden.',
    },
  }
  return recipientPage({ status: 404, language, ...texts[language] })
}
