/**
 * Hashes passwords with the least cost from then on. A hash or a check with the usual cost takes 150 ms of processor time,
 * and tests make hundreds. The cost is stored in the hash, so a check is cheap too.
 */

const { hash } = Bun.password

export function useCheapPasswords(): void {
  Bun.password.hash = (password) => hash(password, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })
}
