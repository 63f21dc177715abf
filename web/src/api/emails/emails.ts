/** Emails that the service has read. */

import type { EmailWithText } from '#api/resources/emails/schemas'
import { api } from '../client'

export type { EmailWithText }

export const getEmail = async (id: string, signal?: AbortSignal): Promise<EmailWithText> =>
  (await api.get<{ data: EmailWithText }>(`/emails/${encodeURIComponent(id)}`, { signal })).data
