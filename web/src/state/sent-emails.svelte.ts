/** The record from which the member sent an email last. No event says so, so what shows its activity reads it again. */

let last = $state.raw<{ readonly recordId: string } | undefined>()

export const noteSentEmail = (recordId: string): void => {
  last = { recordId }
}

/** Depends on each sent email; for use in an effect. */
export const lastSentFrom = (): string | undefined => last?.recordId
