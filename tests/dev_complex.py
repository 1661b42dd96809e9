import sys, itertools, collections
from tests.test_numpy_answers import *
from tests.harness.answers import *
cforms = [f for f in RARE_FORMS if f.startswith("c")] 
import warnings; warnings.simplefilter("ignore")
part = int(sys.argv[1]); 
texts = [t.strip() for t in OF_ONE] if part == 1 else [t.strip() for t in OF_TWO]
only = sys.argv[2:] 
bad = collections.Counter(); refused = {}
for text in texts:
    if only and not any(o in text for o in only): continue
    if part == 1: combos = [(f,) for f in cforms]
    else:
        forms = ["c128[n]", "c128", "complex()", "c64[n]", "f64[n]", "float()", "i32[n]"]
        combos = [(a,b) for a in forms for b in forms if "c" in a[0]+b[0] and "c" in (a[0], b[0])]
        if not only: combos = combos[::3]
    for forms in combos:
        try:
            python = function_of(text); compiled = pellucid.compile(python)
            a = tuple(ALL_TAME[f][0] for f in forms)
            r = outcome(compiled, a)
            w = outcome(python, a)
            if isinstance(r, pellucid.CompileError):
                if not isinstance(w, Exception): refused.setdefault(text, []).append((forms, str(r).strip().splitlines()[0]))
                continue
            for arguments, found, wanted in outcomes(text, forms):
                if not agree(found, wanted, same_type=text not in JOINED, same_zero=not text.startswith(OPEN_ZEROS)):
                    bad[text] += 1
                    if bad[text] <= 2:
                        print("BAD", text, forms, [repr(x) for x in arguments], "found", repr(found)[:150], "wanted", repr(wanted)[:150], flush=True)
        except Exception as e:
            print("CRASH", text, forms, type(e).__name__, str(e)[:300], flush=True)
print("== refused")
for t, l in refused.items(): print(t, len(l), l[0])
