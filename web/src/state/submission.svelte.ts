/** The submission of a form: whether it is running, and its error. */

import { type ApiError, toApiError } from '../api/errors'

export class Submission {
  isBusy = $state(false)
  error = $state.raw<ApiError | undefined>()

  /** An error that belongs to no field, shown above the form. */
  readonly problem: string | undefined = $derived(this.error?.issues.length === 0 ? this.error.message : undefined)

  /** The error of one field. */
  issueOf(member: string): string | undefined {
    return this.error?.issueOf(member)
  }

  /** Returns whether the submission succeeded. */
  async run(act: () => Promise<unknown>): Promise<boolean> {
    this.isBusy = true
    try {
      await act()
      this.error = undefined
      return true
    } catch (error) {
      this.error = toApiError(error)
      return false
    } finally {
      this.isBusy = false
    }
  }
}
