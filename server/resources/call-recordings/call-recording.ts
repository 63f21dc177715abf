/** A call recording as the service stores it. */

export interface CallRecording {
  readonly id: string
  readonly meeting_id: string
  readonly status: 'processing' | 'completed' | 'failed'
  readonly created_at: string
  /** The number of the actor. */
  readonly created_by: number
}
