/** The search for notes, tasks, files and comments. */

import type { TextSearchAnswer } from '#api/console/text-search/schemas'
import { workspaceApi } from '../client'

export type FoundTexts = TextSearchAnswer['data']

export const searchTexts = async (query: string, signal: AbortSignal): Promise<FoundTexts> =>
  (await workspaceApi.get<TextSearchAnswer>('/text-search', { query: { query }, signal })).data
