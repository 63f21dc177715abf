/** The result of the signature check of a request. */

import type { TestRequest } from '../../../api/webhooks/test-endpoints'

interface Verdict {
  readonly label: string
  readonly tone: 'success' | 'danger' | 'plain'
  readonly text: string
}

const VERDICTS: Readonly<Record<TestRequest['signature'], Verdict>> = {
  valid: {
    label: 'Signed',
    tone: 'success',
    text: "The signature is valid for this body and the webhook's secret.",
  },
  invalid: {
    label: 'Invalid signature',
    tone: 'danger',
    text: 'The signature is invalid: another secret was used or the body was changed.',
  },
  absent: { label: 'Not signed', tone: 'plain', text: "No signature: this request didn't come from a webhook." },
}

export const verdictOf = (signature: TestRequest['signature']): Verdict => VERDICTS[signature]
