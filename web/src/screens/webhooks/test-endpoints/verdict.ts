/** What a test endpoint found of the signature of a request. */

import type { TestRequest } from '../../../api/webhooks/test-endpoints'

interface Verdict {
  readonly label: string
  readonly tone: 'success' | 'danger' | 'plain'
  readonly words: string
}

const VERDICTS: Readonly<Record<TestRequest['signature'], Verdict>> = {
  valid: {
    label: 'Signed',
    tone: 'success',
    words: "The signature is valid for this body and the webhook's secret.",
  },
  invalid: {
    label: 'Invalid signature',
    tone: 'danger',
    words: 'The signature is invalid: another secret was used or the body was changed.',
  },
  absent: { label: 'Not signed', tone: 'plain', words: "No signature: this request didn't come from a webhook." },
}

export const verdictOf = (signature: TestRequest['signature']): Verdict => VERDICTS[signature]
