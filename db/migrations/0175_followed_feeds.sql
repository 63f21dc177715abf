-- Contacts are created from the feed as well, by the position that the interactions had alone.
alter table relata.interaction_feeds rename to followed_feeds;
alter table relata.followed_feeds rename constraint interaction_feeds_pkey to followed_feeds_pkey;
