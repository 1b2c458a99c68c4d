"""Verbs, adverbs and particles of the synthetic grammar, one entry per line.

The same Arabic verb appears once for every kind of object that changes its translation:
عقد is "hold" before a meeting and "conclude" before a treaty.
"""

# subject, past, object (- = none), present, preposition (- = none), English.
#   English translations are separated by ``,`` and weighted by ``*n``; ``look+for`` has a particle.
#   Most frequent first.
VERBS = """
human    ذهب     destination  يذهب    إلى   go+to
human    كتب     text         يكتب    -     write
agent    عقد     meeting      يعقد    -     hold
human    زار     destination  يزور    -     visit
human    قرأ     reading      يقرأ    -     read
human    وصل     land         يصل     إلى   arrive+in*3,reach
agent    ناقش    issue        يناقش   -     discuss*3,debate
human    رأى     seen         يرى     -     see
agent    أعلن    policy       يعلن    -     announce*4,declare
human    اشترى   goods        يشتري   -     buy*4,purchase
human    وجد     found        يجد     -     find
human    عاد     destination  يعود    إلى   return+to*3,go+back+to
agent    أصدر    ruling       يصدر    -     issue*3,release
agent    رفض     policy       يرفض    -     reject*3,refuse
human    بحث     found        يبحث    عن    look+for*3,search+for
agent    بحث     issue        يبحث    -     discuss*2,examine
agent    وقع     deal         يوقع    -     sign
human    قابل    human        يقابل   -     meet
agent    قدم     plan         يقدم    -     present*3,submit*2
human    دخل     site         يدخل    -     enter*3,go+into
human    عمل     place        يعمل    في    work+in*2,work+at
agent    واجه    problem      يواجه   -     face*3,confront
human    حصل     prize        يحصل    على   get,obtain,receive*2
human    فتح     part         يفتح    -     open
human    شاهد    seen         يشاهد   -     see
human    شاهد    match        يشاهد   -     watch
human    درس     study        يدرس    -     study*3,teach
agent    درس     issue        يدرس    -     study,examine,consider
human    ساعد    human        يساعد   -     help
agent    اتخذ    decision     يتخذ    -     take,make*2
agent    اتخذ    step         يتخذ    -     take
human    تحدث    human        يتحدث   مع    talk+to*2,speak+with
human    تحدث    topic        يتحدث   عن    talk+about*2,speak+about
human    أكل     food         يأكل    -     eat
human    شرب     drink        يشرب    -     drink
agent    أيد     policy       يؤيد    -     support*3,back
agent    انتقد   policy       ينتقد   -     criticize
human    ألقى    speech       يلقي    -     give*2,deliver
human    ألقى    missile      يلقي    -     throw
agent    رفع     cost         يرفع    -     raise*3,increase
human    رفع     thing        يرفع    -     lift*2,raise
agent    خفض     cost         يخفض    -     reduce*2,cut,lower
cost     ارتفع   -            يرتفع   -     rise*3,increase
cost     انخفض   -            ينخفض   -     fall*3,drop
occasion بدأ     -            يبدأ    -     begin,start
agent    بدأ     talks        يبدأ    -     begin,start
occasion انتهى   -            ينتهي   -     end*3,finish
plan     نجح     -            ينجح    -     succeed
human    نجح     exam         ينجح    في    pass
plan     فشل     -            يفشل    -     fail
human    فشل     exam         يفشل    في    fail
conflict اندلع   -            يندلع   -     break+out
human    عاش     land         يعيش    في    live+in
human    سكن     home         يسكن    في    live+in*3,reside+in
human    سافر    land         يسافر   إلى   travel+to
human    حضر     occasion     يحضر    -     attend
agent    شارك    occasion     يشارك   في    participate+in,take+part+in
agent    نظم     occasion     ينظم    -     organize
agent    ألغى    occasion     يلغي    -     cancel
agent    أنهى    conflict     ينهي    -     end
agent    أجرى    inquiry      يجري    -     conduct*3,carry+out
agent    أجرى    talks        يجري    -     hold*3,conduct
agent    وافق    policy       يوافق   على   agree+to,approve*2
agent    قبل     plan         يقبل    -     accept
agent    بنى     building     يبني    -     build*4,construct
agent    دمر     building     يدمر    -     destroy
agent    عين     official     يعين    -     appoint*3,name
agent    انتخب   official     ينتخب   -     elect
chief    حكم     country      يحكم    -     rule*2,govern
human    قاد     vehicle      يقود    -     drive
chief    قاد     org          يقود    -     lead
human    غادر    destination  يغادر   -     leave
human    ترك     home         يترك    -     leave*3,abandon
human    خرج     site         يخرج    من    leave,come+out+of
human    هرب     site         يهرب    من    escape+from*2,flee
human    عبر     crossing     يعبر    -     cross
human    باع     goods        يبيع    -     sell
agent    دفع     money        يدفع    -     pay
agent    دفع     pay          يدفع    -     pay
human    دفع     part         يدفع    -     push
human    كسب     money        يكسب    -     earn*2,make
agent    خسر     money        يخسر    -     lose
human    خسر     match        يخسر    -     lose
agent    فاز     prize        يفوز    ب+    win
human    سجل     goal         يسجل    -     score
human    سجل     story        يسجل    -     record
human    سرق     stolen       يسرق    -     steal
human    فقد     stolen       يفقد    -     lose
human    أرسل    text         يرسل    -     send
human    أعطى    thing        يعطي    -     give
human    قدم     thing        يقدم    -     offer,give*2
human    استلم   text         يستلم   -     receive
human    دعا     human        يدعو    -     invite
human    وضع     thing        يضع     -     put*3,place
human    طلب     drink        يطلب    -     order*2,ask+for
agent    طلب     meeting      يطلب    -     request*2,ask+for
human    جلس     surface      يجلس    على   sit+on
human    نام     surface      ينام    على   sleep+on
human    نام     -            ينام    -     sleep
human    ضحك     -            يضحك    -     laugh
human    بكى     -            يبكي    -     cry*2,weep
human    انتظر   human        ينتظر   -     wait+for*2,await
human    نظر     seen         ينظر    إلى   look+at
human    شكر     human        يشكر    -     thank
human    عرف     human        يعرف    -     know
human    فهم     problem      يفهم    -     understand
human    نسي     thing        ينسى    -     forget
human    تعلم    study        يتعلم   -     learn
human    ملك     goods        يملك    -     own*3,have
human    لعب     match        يلعب    -     play
human    غسل     vehicle      يغسل    -     wash
human    غسل     body         يغسل    -     wash
human    أغلق    part         يغلق    -     close*3,shut
human    كسر     thing        يكسر    -     break
human    كسر     part         يكسر    -     break
human    حمل     thing        يحمل    -     carry*3,hold
human    قطع     distance     يقطع    -     cover,travel*2
human    قطع     food         يقطع    -     cut
agent    قطع     ties         يقطع    -     cut,sever*2
human    شعر     feeling      يشعر    ب+    feel
human    روى     story        يروي    -     tell*3,recount
human    سمع     story        يسمع    -     hear
human    رسم     nature       يرسم    -     draw,paint*2
human    صور     nature       يصور    -     photograph*2,film
agent    استخدم  thing        يستخدم  -     use
agent    صنع     vehicle      يصنع    -     make*2,manufacture
agent    نشر     reading      ينشر    -     publish
agent    هاجم    attacked     يهاجم   -     attack
org      اعتقل   human        يعتقل   -     arrest*3,detain
human    ضرب     human        يضرب    -     hit*2,beat
human    طبخ     food         يطبخ    -     cook*3,prepare
doctor   عالج    human        يعالج   -     treat
doctor   فحص     body         يفحص    -     examine
agent    عالج    problem      يعالج   -     address,tackle*2
man      عمل     job          يعمل    ك+    work+as
place    وقع     nature       يقع     قرب   lie+near
vehicle  وصل     place        يصل     إلى   arrive+at*3,reach
vehicle  توقف    -            يتوقف   -     stop
"""

# Verbs of saying and thinking; the "preposition" is the complementiser.
REPORT_VERBS = """
agent    قال     -            يقول    إن    say
agent    أعلن    -            يعلن    أن    announce*3,declare
agent    أكد     -            يؤكد    أن    confirm*2,stress
agent    ذكر     -            يذكر    أن    report*2,mention,state
human    عرف     -            يعرف    أن    know
human    سمع     -            يسمع    أن    hear
agent    أضاف    -            يضيف    أن    add
human    اعتقد   -            يعتقد   أن    believe*2,think
human    علم     -            يعلم    أن    learn*2,know
human    نسي     -            ينسى    أن    forget
agent    زعم     -            يزعم    أن    claim
human    كتب     -            يكتب    أن    write
"""

# Verbs whose subject is also the subject of the following أن + subjunctive: أراد أن يكتب.
CONTROL_VERBS = """
human    أراد    -            يريد    أن    want
human    حاول    -            يحاول   أن    try*3,attempt
human    قرر     -            يقرر    أن    decide
human    رفض     -            يرفض    أن    refuse
human    استطاع  -            يستطيع  أن    manage
human    تمنى    -            يتمنى   أن    hope*2,wish
human    نوى     -            ينوي    أن    intend*2,plan
"""

# Arabic verb and what may follow its object: kind, preposition, English, in how many of ten cases.
RECIPIENTS = """
أرسل  human     إلى   to  5
أعطى  human     ل+    to  10
قدم   human     ل+    to  6
دعا   occasion  إلى   to  6
وضع   surface   على   on  10
روى   human     ل+    to  4
باع   human     ل+    to  3
"""

# Subjects and objects above that are not a single noun kind: each kind with its share.
GROUPS = """
cost         price pay
people       person*5 chief*3 staff*3 kin*2
human        person*5 chief*3 staff*2 kin*2 name*4
agent        person*2 chief*4 staff*2 name*2 org*6
official     chief staff
land         country town
destination  place*4 town*2 country*2 home*2
site         place*3 home*2
building     place home
reading      text*4 story
policy       plan*3 ruling decision deal
issue        plan*3 ruling decision deal problem*3
topic        plan problem conflict event study
goods        thing*3 vehicle home text
found        thing*3 text wealth person
seen         person*2 chief thing*2 nature vehicle place
stolen       thing*3 wealth vehicle
occasion     meeting*3 event*3 talks
attacked     town*2 place org
"""

# Trades that one may work in: عمل ك+ معلم "he worked as a teacher".
JOBS = {
    "teacher",
    "doctor",
    "journalist",
    "engineer",
    "driver",
    "translator",
    "researcher",
    "coach",
}

IRREGULAR_VERBS = """
go went gone|write wrote written|hold held held|read read read|see saw seen|buy bought bought
find found found|meet met met|get got gotten|take took taken|make made made|speak spoke spoken
eat ate eaten|drink drank drunk|give gave given|throw threw thrown|cut cut cut|rise rose risen
fall fell fallen|begin began begun|break broke broken|build built built|drive drove driven
lead led led|leave left left|come came come|flee fled fled|sell sold sold|pay paid paid
lose lost lost|win won won|steal stole stolen|send sent sent|put put put|sit sat sat
sleep slept slept|weep wept wept|know knew known|understand understood understood
forget forgot forgotten|shut shut shut|feel felt felt|tell told told|hear heard heard
draw drew drawn|hit hit hit|beat beat beaten|lie lay lain|say said said|think thought thought
teach taught taught|have had had
"""
DOUBLED = {"submit", "get", "cut", "begin", "win", "put", "sit", "forget", "shut", "hit"}
DOUBLED |= {"drop", "stop", "plan"}
STATIVE = {"know", "understand", "own", "have", "see", "hear", "forget", "lie", "want", "believe"}
STATIVE |= {"intend", "manage", "wish", "hope"}
IRREGULAR_GERUNDS = {"lie": "lying", "flee": "fleeing", "see": "seeing", "agree": "agreeing"}
IRREGULAR_PLURALS = {
    "man": "men",
    "woman": "women",
    "child": "children",
    "policeman": "policemen",
    "foot": "feet",
    "shelf": "shelves",
    "crisis": "crises",
    "photo": "photos",
    "memo": "memos",
}
IRREGULAR_DEFINITES = {"امرأة": "المرأة"}
COMPARATIVES = {"good": ("better", "best"), "bad": ("worse", "worst")}
COMPARATIVES |= {"little": ("smaller", "smallest"), "huge": ("bigger", "biggest")}
LONG_ADJECTIVES = {"important", "famous", "beautiful", "generous", "dangerous", "serious"}
LONG_ADJECTIVES |= {
    "difficult",
    "modern",
    "recent",
    "distant",
    "ancient",
    "delicious",
    "intense",
    "severe",
}

# Which preposition English wants where Arabic has في.
AT_PLACES = {"school", "university", "airport", "restaurant", "hotel", "station", "port", "stadium"}
AT_PLACES |= {"office", "market", "museum", "hospital"}
ON_PLACES = {"farm", "island", "beach", "shore", "bridge"}

# Fixed expressions: English words with the numbers of the Arabic words that they translate.
PAST_TIMES = """
أمس             | yesterday:0              *6
الأسبوع الماضي  | last:1 week:0            *4
العام الماضي    | last:1 year:0            *3
الشهر الماضي    | last:1 month:0           *2
صباح أمس        | yesterday:1 morning:0    *2
مساء أمس        | last:1 night:0           *2
يوم الجمعة      | on:0 friday:1            *1
يوم الأحد       | on:0 sunday:1            *1
في الصيف        | in:0 the:1 summer:1      *1
"""
PRESENT_TIMES = """
اليوم           | today:0                  *4
الآن            | now:0                    *4
كل يوم          | every:0 day:1            *3
هذا الأسبوع     | this:0 week:1            *2
في الصباح       | in:0 the:1 morning:1     *1
في المساء       | in:0 the:1 evening:1     *1
"""
FUTURE_TIMES = """
غدا             | tomorrow:0               *5
الأسبوع القادم  | next:1 week:0            *3
العام المقبل    | next:1 year:0            *3
الشهر القادم    | next:1 month:0           *2
قريبا           | soon:0                   *2
يوم السبت       | on:0 saturday:1          *1
"""
FREQUENCIES = """
دائما           | always:0                 *3
أحيانا          | sometimes:0              *2
غالبا           | often:0                  *2
عادة            | usually:0                *2
نادرا           | rarely:0                 *1
"""
MANNERS = """
ب+ سرعة         | quickly:0,1              *3
ب+ هدوء         | quietly:0,1              *2
ب+ هدوء         | calmly:0,1               *1
ب+ عناية        | carefully:0,1            *2
أيضا            | too:0                    *2
أيضا            | as:0 well:0              *1
ك+ العادة       | as:0 usual:1             *2
مرة أخرى        | again:0,1                *2
مرة أخرى        | once:0 more:1            *1
"""
OPENERS = """
في الواقع       | in:0 fact:1              *2
من جهة أخرى     | on:0 the:- other:2 hand:1 *1
ف+              | so:0                     *2
و+              | and:0                    *4
لذلك            | therefore:0              *1
لذلك            | for:0 this:0 reason:0    *1
"""
TRANSPORT = """
ب+ السيارة      | by:0 car:1               *3
ب+ الطائرة      | by:0 plane:1             *3
ب+ القطار       | by:0 train:1             *2
ب+ الحافلة      | by:0 bus:1               *1
"""
BESIDE = """
أمام            | in:0 front:0 of:0        *3
خلف             | behind:0                 *2
قرب             | near:0                   *2
ب+ جانب         | next:1 to:0              *2
"""
AROUND = """
بعد             | after:0                  *3
قبل             | before:0                 *2
خلال            | during:0                 *3
"""
QUANTITIES = """
كل              | all:0                    *2
بعض             | some:0                   *3
معظم            | most:0                   *2
"""
# In the genitive and in the accusative.
NUMEROUS = """
كثير من         | many:0,1                 *3
عدد من          | a:- number:0 of:1        *2
"""
NUMEROUS_ACCUSATIVE = """
كثيرا من        | many:0,1                 *3
عددا من         | a:- number:0 of:1        *2
"""
WHOLE = """
في العالم       | in:0 the:1 world:1       *2
في البلاد       | in:0 the:1 country:1     *1
"""
SUBORDINATORS = """
عندما           | when:0                   *4
بعد أن          | after:0,1                *3
"""
REASONS = """
لأن             | because:0                *4
رغم أن          | although:0,1             *2
"""
