-- Half of the time that an import spends on the indexes of users goes into this one, less the more entries are pending. A
-- search reads those too, in about a millisecond.
alter index users_by_words set (gin_pending_list_limit = 1024);
