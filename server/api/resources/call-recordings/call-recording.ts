/** A call recording as the service stores it. */

export interface CallRecording {
  readonly id: string
  readonly meeting_id: string
  readonly status: 'processing' | 'completed' | 'failed'
  /** The digest of the stored video; null without one. */
  readonly blob_digest: Buffer | null
  readonly created_at: string
  /** The number of the actor. */
  readonly created_by: number
}
