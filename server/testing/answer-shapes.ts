/** The members of `/v2` responses that several tests read. */

export interface ShownValue {
  readonly value?: string
  readonly domain?: string
  readonly email_address?: string
  readonly option?: { readonly title: string }
  readonly status?: { readonly title: string }
}

export interface ShownRecord {
  readonly id: { readonly record_id: string }
  readonly values: Readonly<Record<string, readonly ShownValue[]>>
}

/** One result of a batch: the record, or the reason for its failure. */
export interface ShownBatchResult {
  readonly status: number
  readonly data: ShownRecord
  readonly error?: { readonly code: string }
}

/** The code of the error, or the status of a success. */
export const codeOf = ({ status, error }: Pick<ShownBatchResult, 'status' | 'error'>): string | number =>
  error?.code ?? status

export const recordIdOf = ({ data }: ShownBatchResult): string => data.id.record_id

export const titleOf = ({ title }: { readonly title: string }): string => title

export const slugOf = ({ api_slug }: { readonly api_slug: string }): string => api_slug
