/** The question before an action that cannot be undone. The console shows one at a time. */

export interface Question {
  /** Names the subject: `Revoke “Reporting”?` */
  readonly title: string
  readonly description: string
  /** The label of the button. */
  readonly verb: string
  /** Runs when the person confirms. The question is closed when it succeeds. */
  act(): Promise<unknown>
  /** The text of the toast after the action. */
  readonly done?: string
}

class Confirmation {
  question = $state.raw<Question | undefined>()

  ask(question: Question): void {
    this.question = question
  }

  close(): void {
    this.question = undefined
  }
}

export const confirmation = new Confirmation()
