/** Imports of CSV files. */

import type { ImportDetail, ImportsAnswer, PlanBody, PreviewOutput, UndoPreview } from '#api/console/imports/schemas'
import { credentials, workspaceApi } from '../client'

export type {
  ImportDetail,
  ImportOutput,
  ImportsAnswer,
  ImportState,
  ImportTarget,
  PlanBody,
  PreviewOutput,
  UndoPreview,
} from '#api/console/imports/schemas'

const pathOf = (id: string): string => `/imports/${encodeURIComponent(id)}`

export const listImports = (object: string, signal?: AbortSignal): Promise<ImportsAnswer> =>
  workspaceApi.get<ImportsAnswer>('/imports', { query: { object }, signal })

interface UploadOptions {
  readonly signal: AbortSignal
  /** Called with the number of bytes that were sent. */
  readonly onSent: (bytes: number) => void
}

export async function uploadFile(object: string, file: File, options: UploadOptions): Promise<ImportDetail> {
  const request = { query: { object, file_name: file.name }, body: file, ...options }
  return (await workspaceApi.post<{ data: ImportDetail }>('/imports', request)).data
}

export const getImport = async (id: string, signal?: AbortSignal): Promise<ImportDetail> =>
  (await workspaceApi.get<{ data: ImportDetail }>(pathOf(id), { signal })).data

export const previewImport = async (id: string, plan: PlanBody, signal: AbortSignal): Promise<PreviewOutput> =>
  (await workspaceApi.post<{ data: PreviewOutput }>(`${pathOf(id)}/preview`, { body: plan, signal })).data

export const startImport = async (id: string, plan: PlanBody): Promise<ImportDetail> =>
  (await workspaceApi.post<{ data: ImportDetail }>(`${pathOf(id)}/start`, { body: plan })).data

export const cancelImport = async (id: string): Promise<ImportDetail> =>
  (await workspaceApi.post<{ data: ImportDetail }>(`${pathOf(id)}/cancel`)).data

export const deleteImport = (id: string): Promise<unknown> => workspaceApi.delete(pathOf(id))

export const previewUndo = async (id: string, signal: AbortSignal): Promise<UndoPreview> =>
  (await workspaceApi.get<{ data: UndoPreview }>(`${pathOf(id)}/undo`, { signal })).data

export const undoImport = async (id: string): Promise<ImportDetail> =>
  (await workspaceApi.post<{ data: ImportDetail }>(`${pathOf(id)}/undo`)).data

/** The URL of the file that lists skipped rows and values. */
export const problemsUrl = (id: string): string =>
  `/console/api/workspaces/${credentials.workspaceId()}${pathOf(id)}/problems`
