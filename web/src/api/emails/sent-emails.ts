/** Emails that the signed-in member sends. */

import type { EmailInput, SentEmailOutput } from '#api/resources/sent-emails/schemas'
import type { CursorPage } from '../cursor-page'
import { api } from '../client'

export type SentEmail = SentEmailOutput
export type { EmailInput }

export const idOfSentEmail = ({ id }: SentEmail): string => id.sent_email_id

/** Queues an email. */
export const sendEmail = async (data: EmailInput): Promise<SentEmail> =>
  (await api.post<{ data: SentEmail }>('/emails/send', { body: { data } })).data

export const getSentEmail = async (id: string): Promise<SentEmail> =>
  (await api.get<{ data: SentEmail }>(pathOf(id))).data

/** The newest emails, whatever became of them. */
export const listSentEmails = async (signal?: AbortSignal): Promise<readonly SentEmail[]> =>
  (await api.get<CursorPage<SentEmail>>('/emails/sent', { query: { limit: 50 }, signal })).data

/** An email that is queued is not sent then. */
export const deleteSentEmail = (id: string): Promise<unknown> => api.delete(pathOf(id))

const pathOf = (id: string): string => `/emails/sent/${encodeURIComponent(id)}`
