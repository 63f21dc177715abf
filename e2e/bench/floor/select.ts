/** The whole row of a person `p`, with the users that refer to it, which only their table knows. */
export const WHOLE = `p.*, (select array_agg(u.id) from floor.users u where u.person_target_record_id = p.id) as associated_users`
