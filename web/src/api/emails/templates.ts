/** Templates of emails. */

import type {
  PreviewAnswer,
  TemplateChange,
  TemplateInput,
  TemplateOutput,
} from '#api/resources/email-templates/schemas'
import { api } from '../client'

export type EmailTemplate = TemplateOutput

export const idOfTemplate = ({ id }: EmailTemplate): string => id.template_id

export const listTemplates = async (signal?: AbortSignal): Promise<EmailTemplate[]> =>
  (await api.get<{ data: EmailTemplate[] }>('/emails/templates', { signal })).data

export const createTemplate = (data: TemplateInput): Promise<unknown> =>
  api.post('/emails/templates', { body: { data } })

export const updateTemplate = (id: string, data: TemplateChange): Promise<unknown> =>
  api.patch(pathOf(id), { body: { data } })

export const deleteTemplate = (id: string): Promise<unknown> => api.delete(pathOf(id))

/** The texts for a record. */
export const previewTemplate = async (id: string, recordId: string): Promise<PreviewAnswer['data']> =>
  (await api.get<PreviewAnswer>(`${pathOf(id)}/preview`, { query: { record_id: recordId } })).data

const pathOf = (id: string): string => `/emails/templates/${encodeURIComponent(id)}`
