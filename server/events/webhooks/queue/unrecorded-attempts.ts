/** The finished attempts of one queue that are not recorded yet. The queue does not wait for each record. */

import type { AttemptOutcome } from '#events/webhooks/record/save-attempts'
import type { AttemptRecorder } from '#events/webhooks/record/attempt-recorder'

export interface UnrecordedAttempts {
  /** Resolves immediately, or when all are recorded if there are too many. */
  add(outcome: AttemptOutcome): Promise<void>
  /** Resolves when all attempts are recorded. */
  settled(): Promise<void>
}

const MAX_UNRECORDED = 500

/** `onRecorded` gets the id of each delivery whose attempt is recorded. */
export function createUnrecordedAttempts(
  recorder: AttemptRecorder,
  onRecorded: (deliveryId: string) => void,
): UnrecordedAttempts {
  const recording = new Set<Promise<void>>()
  const settled = async () => void (await Promise.all(recording))
  return {
    settled,
    async add(outcome) {
      const record = recorder.record(outcome).then((isRecorded) => {
        recording.delete(record)
        if (isRecorded) onRecorded(outcome.delivery.id)
      })
      recording.add(record)
      if (recording.size >= MAX_UNRECORDED) await settled()
    },
  }
}
