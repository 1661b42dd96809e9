"""Workers of parallel regions in LLVM's words: how they start, sleep, wake and enter a region.

A worker sleeps until the generation changes, and enters through the gate while it is open and has room.  It is started
when a region first needs it, and ends with the process; a process that was forked begins without any.
"""

WORKERS = """
define internal ptr @worker(ptr %unused) {
entry:
  br label %next
next:
  %seen = phi i64 [ 0, %entry ], [ %now, %join ], [ %now, %room ], [ %now, %go ], [ %now, %signal ]
  br label %glance
glance:
  %glances = phi i64 [ 0, %next ], [ %more_glances, %glance_again ]
  %generation = load atomic i64, ptr @generation acquire, align 8
  %new = icmp ne i64 %generation, %seen
  br i1 %new, label %enter, label %glance_more
glance_more:
  %more_glances = add i64 %glances, 1
  %patient = icmp ult i64 %glances, GLANCES
  br i1 %patient, label %glance_again, label %sleep
glance_again:
  PAUSE
  br label %glance
sleep:
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  %less_awake = atomicrmw add ptr @asleep, i64 1 seq_cst
  br label %sleep_head
sleep_head:
  %generation_now = load atomic i64, ptr @generation seq_cst, align 8
  %new_now = icmp ne i64 %generation_now, %seen
  br i1 %new_now, label %rise, label %sleep_on
sleep_on:
  %woken = call i32 @pthread_cond_wait(ptr @wake, ptr @mutex)
  br label %sleep_head
rise:
  %more_awake = atomicrmw sub ptr @asleep, i64 1 seq_cst
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %enter
enter:
  %now = phi i64 [ %generation, %glance ], [ %generation_now, %rise ]
  br label %join
join:
  %gate = load atomic i64, ptr @gate acquire, align 8
  %open = icmp uge i64 %gate, OPEN
  br i1 %open, label %room, label %next
room:
  %inside = and i64 %gate, INSIDE
  %helpers = load atomic i64, ptr @helpers monotonic, align 8
  %full = icmp sge i64 %inside, %helpers
  br i1 %full, label %next, label %step
step:
  %more = add i64 %gate, 1
  %pair = cmpxchg ptr @gate, i64 %gate, i64 %more acq_rel acquire
  %entered = extractvalue {i64, i1} %pair, 1
  br i1 %entered, label %go, label %join
go:
  call void @work()
  %was = atomicrmw sub ptr @gate, i64 1 seq_cst
  %last = icmp eq i64 %was, 1
  br i1 %last, label %signal, label %next
signal:
  %done_locked = call i32 @pthread_mutex_lock(ptr @mutex)
  %signalled = call i32 @pthread_cond_signal(ptr @done)
  %done_unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %next
}

define internal void @wake_workers(i64 %helpers) {
entry:
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  %one = icmp eq i64 %helpers, 1
  br i1 %one, label %single, label %all
single:
  %signalled = call i32 @pthread_cond_signal(ptr @wake)
  br label %done
all:
  %called = call i32 @pthread_cond_broadcast(ptr @wake)
  br label %done
done:
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret void
}

define internal void @start_workers(i64 %helpers) {
entry:
  %thread = alloca i64
  br label %head
head:
  %started = load i64, ptr @started
  %missing = icmp slt i64 %started, %helpers
  br i1 %missing, label %create, label %done
create:
  %refused = call i32 @pthread_create(ptr %thread, ptr null, ptr @worker, ptr null)
  %created = icmp eq i32 %refused, 0
  br i1 %created, label %count, label %done
count:
  %handle = load ptr, ptr %thread
  %detached = call i32 @pthread_detach(ptr %handle)
  %more = add i64 %started, 1
  store i64 %more, ptr @started
  br label %head
done:
  ret void
}

define internal i1 @own_process() {
entry:
  %here = call i32 @getpid()
  %known = load atomic i32, ptr @process acquire, align 4
  %same = icmp eq i32 %here, %known
  br i1 %same, label %yes, label %other
other:
  %changing = icmp eq i32 %known, -1
  br i1 %changing, label %no, label %claim
claim:
  %pair = cmpxchg ptr @process, i32 %known, i32 -1 acq_rel acquire
  %claimed = extractvalue {i32, i1} %pair, 1
  br i1 %claimed, label %begin, label %no
begin:
  %mutex_made = call i32 @pthread_mutex_init(ptr @mutex, ptr null)
  %wake_made = call i32 @pthread_cond_init(ptr @wake, ptr null)
  %done_made = call i32 @pthread_cond_init(ptr @done, ptr null)
  store i64 0, ptr @gate
  store i64 0, ptr @asleep
  store i64 0, ptr @started
  store i32 0, ptr @lock
  store i32 0, ptr @busy
  store atomic i32 %here, ptr @process release, align 4
  br label %yes
yes:
  ret i1 true
no:
  ret i1 false
}
"""
