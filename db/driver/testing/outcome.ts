/** Resolves with 'done', or with the code of the error that `work` rejects with. */
export const outcomeOf = (work: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(work).then(
    () => 'done',
    (error) => error.code ?? String(error),
  )
